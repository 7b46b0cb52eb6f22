// SPDX-License-Identifier: MIT
// One launch: every item is read once and written once. A tile learns what lies before it from its
// predecessors' words in device memory, while other tiles load and store.
// New: blocks wait for each other, in an order that cannot lock up. Tiles are large, so there are
// few to wait for, unless multiprocessors would be idle. Limit: the copy bandwidth.
// (D. Merrill and M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016.)
#include <cuda/atomic>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = 1024;
constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;  // at most 32: a lane each
constexpr int kItemsPerRow = kWarpSize * 4;              // one 16-byte load per lane

// What a tile publishes, state above and value below: one 64-bit store publishes both, so a tile
// that sees the state sees its value, without a fence. The words begin as 0, which is kEmpty.
using TileWord = unsigned long long;
enum State : unsigned { kEmpty, kAggregate, kPrefix };  // nothing yet; the tile's sum; all up to it

using AtomicWord = cuda::atomic_ref<TileWord, cuda::thread_scope_device>;

__device__ void publish(TileWord& word, State state, unsigned value) {
  AtomicWord(word).store(TileWord{state} << 32 | value, cuda::memory_order_relaxed);
}

// Returns the sum of all tiles before `tile`, in every lane. Called by one whole warp.
__device__ unsigned look_back(TileWord* d_words, int tile) {
  const int lane_id = threadIdx.x % kWarpSize;
  unsigned sum = 0;
  for (int nearest = tile - 1;;) {
    const int predecessor = nearest - lane_id;  // 32 tiles at a time, the nearest in lane 0
    TileWord word = TileWord{kPrefix} << 32;    // before tile 0 lies nothing
    if (predecessor >= 0) {
      word = AtomicWord(d_words[predecessor]).load(cuda::memory_order_relaxed);
    }
    const auto state = static_cast<unsigned>(word >> 32);
    const unsigned empty = __ballot_sync(kFullWarp, state == kEmpty);
    const unsigned prefixes = __ballot_sync(kFullWarp, state == kPrefix);
    const unsigned needed = prefixes ^ (prefixes - 1);  // lanes up to the nearest prefix, or all
    if ((empty & needed) != 0) continue;                // one of them has yet to speak
    const bool is_needed = (needed >> lane_id & 1) != 0;
    sum += __reduce_add_sync(kFullWarp, is_needed ? static_cast<unsigned>(word) : 0);
    if (prefixes != 0) return sum;
    nearest -= kWarpSize;
  }
}

// A thread's items are kVectorsPerThread vectors of four, a warp's width apart: each load and store
// of a warp is 512 consecutive bytes. Past the end of the input stands 0.
template <int kVectorsPerThread>
__device__ void load_items(const unsigned* d_warp, int num_left,
                           uint4 (&items)[kVectorsPerThread]) {
  constexpr int kItemsPerWarp = kVectorsPerThread * kItemsPerRow;
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

template <int kVectorsPerThread>
__device__ void store_items(const uint4 (&items)[kVectorsPerThread], unsigned increment,
                            int num_left, unsigned* d_warp) {
  constexpr int kItemsPerWarp = kVectorsPerThread * kItemsPerRow;
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

// Replaces the warp's items by their exclusive scan.
template <int kVectorsPerThread>
__device__ void scan_warp(uint4 (&items)[kVectorsPerThread]) {
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
}

// A thread has kVectorsPerThread loads in flight at a time.
template <int kVectorsPerThread>
constexpr int kItemsPerTile = kNumWarps* kVectorsPerThread* kItemsPerRow;

// One tile per block; d_ticket (1) and d_words (gridDim.x) are 0 at first.
template <int kVectorsPerThread>
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
  if (threadIdx.x == 0) ticket = gridDim.x == 1 ? 0 : static_cast<int>(atomicAdd(d_ticket, 1));
  __syncthreads();  // ticket is set
  const int tile = ticket;
  // Fits an int: num_items does, and 2^31 is a multiple of the tile.
  const int begin =
      tile * kItemsPerTile<kVectorsPerThread> + warp_id * kVectorsPerThread * kItemsPerRow;
  const int num_left = num_items - begin;  // of this warp's items; or below 0
  uint4 items[kVectorsPerThread];
  load_items(d_in + begin, num_left, items);

  unsigned sum = 0;
#pragma unroll
  for (const uint4& item : items) sum += item.x + item.y + item.z + item.w;
  sum = __reduce_add_sync(kFullWarp, sum);
  if (lane_id == 0) warp_sums[warp_id] = sum;
  __syncthreads();  // warp_sums is complete
  const unsigned warp_sum = lane_id < kNumWarps ? warp_sums[lane_id] : 0;
  const unsigned sum_before_warp = __reduce_add_sync(kFullWarp, lane_id < warp_id ? warp_sum : 0);

  if (warp_id == 0) {  // first of all, so that the tiles behind wait as short as possible
    const unsigned aggregate = __reduce_add_sync(kFullWarp, warp_sum);
    if (lane_id == 0) publish(d_words[tile], tile == 0 ? kPrefix : kAggregate, aggregate);
    const unsigned sum_before = look_back(d_words, tile);
    if (lane_id == 0) {
      publish(d_words[tile], kPrefix, sum_before + aggregate);
      sum_before_tile = sum_before;
    }
  }
  scan_warp(items);  // the other warps do so while the first looks back
  __syncthreads();   // sum_before_tile is set
  store_items(items, sum_before_tile + sum_before_warp, num_left, d_out + begin);
}

template <int kVectorsPerThread>
void scan_in_tiles(const unsigned* d_in, int num_items, unsigned* d_out, Scratch& scratch,
                   cudaStream_t stream) {
  const int num_tiles = ceil_div(num_items, kItemsPerTile<kVectorsPerThread>);
  TileWord* d_ticket = scratch.allocate<TileWord>(1 + num_tiles);  // (1), then one word per tile
  if (num_tiles > 1) {  // a single tile draws no ticket and reads no word
    check(cudaMemsetAsync(d_ticket, 0, (1 + num_tiles) * sizeof(TileWord), stream));
  }
  look_back_kernel<kVectorsPerThread>
      <<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_out, d_ticket, d_ticket + 1);
  check_launch();
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  if (num_items == 0) return;
  // The smallest tiles that all run at the same time: more blocks share the work of a short array.
  const int at_a_time = num_multiprocessors();
  const auto scan = num_items <= at_a_time * kItemsPerTile<1>   ? scan_in_tiles<1>
                    : num_items <= at_a_time * kItemsPerTile<4> ? scan_in_tiles<4>
                                                                : scan_in_tiles<8>;
  scan(as_unsigned(d_in), num_items, as_unsigned(d_out), scratch, stream);
}

}  // namespace lab
