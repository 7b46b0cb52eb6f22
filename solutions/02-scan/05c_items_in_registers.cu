// SPDX-License-Identifier: MIT
// The same look-back, larger tiles: items never leave their thread's registers, warps scan them by
// shuffles, and shared memory holds one sum per warp.
// New: 16-byte loads and stores, several in flight per thread; fewer tiles, so fewer to look back
// over. Limit: still one load of the look-back at a time.
#include <cuda/atomic>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = 1024;
constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;
constexpr int kItemsPerRow = kWarpSize * 4;  // one 16-byte load per lane
constexpr int kVectorsPerThread = 4;         // loads that a thread has in flight
constexpr int kItemsPerWarp = kVectorsPerThread * kItemsPerRow;
constexpr int kItemsPerTile = kNumWarps * kItemsPerWarp;

// What a tile publishes, state above and value below: one 64-bit store publishes both, so a tile
// that sees the state sees its value, without a fence. The words begin as 0, which is kEmpty.
using TileWord = unsigned long long;
enum State : unsigned { kEmpty, kAggregate, kPrefix };  // nothing yet; the tile's sum; all up to it

using AtomicWord = cuda::atomic_ref<TileWord, cuda::thread_scope_device>;

__device__ void publish(TileWord& word, State state, unsigned value) {
  AtomicWord(word).store(TileWord{state} << 32 | value, cuda::memory_order_relaxed);
}

// Returns the sum of all tiles before `tile`. Called by one thread.
__device__ unsigned look_back(TileWord* d_words, int tile) {
  unsigned sum = 0;
  for (int predecessor = tile - 1; predecessor >= 0;) {
    const TileWord word = AtomicWord(d_words[predecessor]).load(cuda::memory_order_relaxed);
    const auto state = static_cast<unsigned>(word >> 32);
    if (state == kEmpty) continue;  // it has yet to speak
    sum += static_cast<unsigned>(word);
    if (state == kPrefix) break;
    --predecessor;
  }
  return sum;
}

// A thread's items are kVectorsPerThread vectors of four, a warp's width apart: each load and store
// of a warp is 512 consecutive bytes. Past the end of the input stands 0.
__device__ void load_items(const unsigned* d_warp, int num_left,
                           uint4 (&items)[kVectorsPerThread]) {
  const int lane_id = threadIdx.x % kWarpSize;
  if (num_left >= kItemsPerWarp) {
#pragma unroll
    for (int k = 0; k < kVectorsPerThread; ++k) {  // __ldcs: read once, not worth keeping
      items[k] = __ldcs(&reinterpret_cast<const uint4*>(d_warp)[k * kWarpSize + lane_id]);
    }
    return;
  }
#pragma unroll
  for (int k = 0; k < kVectorsPerThread; ++k) {
    const int i = (k * kWarpSize + lane_id) * 4;
    items[k].x = i < num_left ? d_warp[i] : 0;
    items[k].y = i + 1 < num_left ? d_warp[i + 1] : 0;
    items[k].z = i + 2 < num_left ? d_warp[i + 2] : 0;
    items[k].w = i + 3 < num_left ? d_warp[i + 3] : 0;
  }
}

__device__ void store_items(const uint4 (&items)[kVectorsPerThread], unsigned increment,
                            int num_left, unsigned* d_warp) {
  const int lane_id = threadIdx.x % kWarpSize;
#pragma unroll
  for (int k = 0; k < kVectorsPerThread; ++k) {
    const int i = (k * kWarpSize + lane_id) * 4;
    const uint4 sums = {items[k].x + increment, items[k].y + increment, items[k].z + increment,
                        items[k].w + increment};
    if (num_left >= kItemsPerWarp) {
      __stcs(reinterpret_cast<uint4*>(&d_warp[i]), sums);
    } else {
      if (i < num_left) d_warp[i] = sums.x;
      if (i + 1 < num_left) d_warp[i + 1] = sums.y;
      if (i + 2 < num_left) d_warp[i + 2] = sums.z;
      if (i + 3 < num_left) d_warp[i + 3] = sums.w;
    }
  }
}

// Replaces the warp's items by their exclusive scan, and returns their sum.
__device__ unsigned scan_warp(uint4 (&items)[kVectorsPerThread]) {
  const int lane_id = threadIdx.x % kWarpSize;
  unsigned before = 0;  // the sum of the warp's vectors before the k-th row
#pragma unroll
  for (int k = 0; k < kVectorsPerThread; ++k) {
    const uint4 item = items[k];
    const unsigned sum = item.x + item.y + item.z + item.w;
    unsigned inclusive = sum;
#pragma unroll
    for (int distance = 1; distance < kWarpSize; distance *= 2) {
      const unsigned earlier = __shfl_up_sync(kFullWarp, inclusive, distance);
      if (lane_id >= distance) inclusive += earlier;
    }
    items[k].x = before + inclusive - sum;
    items[k].y = items[k].x + item.x;
    items[k].z = items[k].y + item.y;
    items[k].w = items[k].z + item.z;
    before += __shfl_sync(kFullWarp, inclusive, kWarpSize - 1);
  }
  return before;
}

// Writes the exclusive scan of d_in to d_out (num_items). One tile per block; d_ticket (1) and
// d_words (gridDim.x) are 0 at first.
__global__ void __launch_bounds__(kThreadsPerBlock)
    look_back_kernel(const unsigned* d_in, int num_items, unsigned* d_out, TileWord* d_ticket,
                     TileWord* d_words) {
  __shared__ unsigned warp_sums[kNumWarps];
  __shared__ unsigned sum_before_tile;
  __shared__ int ticket;
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;

  // Tiles are drawn, not given by blockIdx: nothing promises that blocks start in order, and a
  // block may only wait for tiles that running blocks hold.
  if (threadIdx.x == 0) ticket = static_cast<int>(atomicAdd(d_ticket, 1));
  __syncthreads();  // ticket is set
  const int tile = ticket;
  // Fits an int: num_items does, and 2^31 is a multiple of the tile.
  const int begin = tile * kItemsPerTile + warp_id * kItemsPerWarp;
  const int num_left = num_items - begin;  // of this warp's items; or below 0
  uint4 items[kVectorsPerThread];
  load_items(d_in + begin, num_left, items);

  const unsigned sum = scan_warp(items);
  if (lane_id == 0) warp_sums[warp_id] = sum;
  __syncthreads();  // warp_sums is complete
  unsigned sum_before_warp = 0;
  for (int warp = 0; warp < warp_id; ++warp) sum_before_warp += warp_sums[warp];

  if (threadIdx.x == kThreadsPerBlock - 1) {  // its warp has added up all the others
    const unsigned aggregate = sum_before_warp + sum;
    publish(d_words[tile], kAggregate, aggregate);
    sum_before_tile = look_back(d_words, tile);
    publish(d_words[tile], kPrefix, sum_before_tile + aggregate);
  }
  __syncthreads();  // sum_before_tile is set
  store_items(items, sum_before_tile + sum_before_warp, num_left, d_out + begin);
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  if (num_items == 0) return;
  const int num_tiles = ceil_div(num_items, kItemsPerTile);
  TileWord* d_ticket = scratch.allocate<TileWord>(1 + num_tiles);  // (1), then one word per tile
  check(cudaMemsetAsync(d_ticket, 0, (1 + num_tiles) * sizeof(TileWord), stream));
  look_back_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(
      as_unsigned(d_in), num_items, as_unsigned(d_out), d_ticket, d_ticket + 1);
  check_launch();
}

}  // namespace lab
