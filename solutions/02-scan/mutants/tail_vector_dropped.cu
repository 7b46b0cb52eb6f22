// SPDX-License-Identifier: MIT
// mutant of: 06_decoupled_look_back
// mistake: 4, the 1 to 3 items after the last whole vector are dropped
// expect: failed output_unwritten
// also: wrong_result
// message: the tail is dropped
#include <cuda/atomic>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scan.cuh"

namespace lab {
namespace {
constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = 1024;
constexpr int kVectorsPerThread = 8;
constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;
constexpr int kItemsPerWarp = kVectorsPerThread * kWarpSize * 4;
constexpr int kItemsPerTile = kNumWarps * kItemsPerWarp;

using TileWord = unsigned long long;
enum State : unsigned { kEmpty, kAggregate, kPrefix };

using AtomicWord = cuda::atomic_ref<TileWord, cuda::thread_scope_device>;

__device__ void publish(TileWord& word, State state, unsigned value) {
  AtomicWord(word).store(TileWord{state} << 32 | value, cuda::memory_order_relaxed);
}

__device__ unsigned look_back(TileWord* d_words, int tile) {
  const int lane_id = threadIdx.x % kWarpSize;
  unsigned sum = 0;
  for (int nearest = tile - 1;;) {
    const int predecessor = nearest - lane_id;
    TileWord word = TileWord{kPrefix} << 32;
    if (predecessor >= 0) {
      word = AtomicWord(d_words[predecessor]).load(cuda::memory_order_relaxed);
    }
    const auto state = static_cast<unsigned>(word >> 32);
    const unsigned empty = __ballot_sync(kFullWarp, state == kEmpty);
    const unsigned prefixes = __ballot_sync(kFullWarp, state == kPrefix);
    const unsigned needed = prefixes ^ (prefixes - 1);
    if ((empty & needed) != 0) continue;
    const bool is_needed = (needed >> lane_id & 1) != 0;
    sum += __reduce_add_sync(kFullWarp, is_needed ? static_cast<unsigned>(word) : 0);
    if (prefixes != 0) return sum;
    nearest -= kWarpSize;
  }
}

__device__ void load_items(const unsigned* d_warp, int num_left,
                           uint4 (&items)[kVectorsPerThread]) {
  const int lane_id = threadIdx.x % kWarpSize;
  if (num_left >= kItemsPerWarp) {
#pragma unroll
    for (int k = 0; k < kVectorsPerThread; ++k) {
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
      if (i + 3 < num_left) *reinterpret_cast<uint4*>(&d_warp[i]) = sums;
    }
  }
}

__device__ void scan_warp(uint4 (&items)[kVectorsPerThread]) {
  const int lane_id = threadIdx.x % kWarpSize;
  unsigned before = 0;
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

__global__ void __launch_bounds__(kThreadsPerBlock)
    look_back_kernel(const unsigned* d_in, int num_items, unsigned* d_out, TileWord* d_ticket,
                     TileWord* d_words) {
  __shared__ unsigned warp_sums[kNumWarps];
  __shared__ unsigned sum_before_tile;
  __shared__ int ticket;
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;

  if (threadIdx.x == 0) ticket = static_cast<int>(atomicAdd(d_ticket, 1));
  __syncthreads();
  const int tile = ticket;
  const unsigned begin = tile * kItemsPerTile + warp_id * kItemsPerWarp;
  const int num_left = static_cast<int>(num_items - begin);
  uint4 items[kVectorsPerThread];
  load_items(d_in + begin, num_left, items);

  unsigned sum = 0;
#pragma unroll
  for (const uint4& item : items) sum += item.x + item.y + item.z + item.w;
  sum = __reduce_add_sync(kFullWarp, sum);
  if (lane_id == 0) warp_sums[warp_id] = sum;
  __syncthreads();
  const unsigned warp_sum = lane_id < kNumWarps ? warp_sums[lane_id] : 0;
  const unsigned sum_before_warp = __reduce_add_sync(kFullWarp, lane_id < warp_id ? warp_sum : 0);

  if (warp_id == 0) {
    const unsigned aggregate = __reduce_add_sync(kFullWarp, warp_sum);
    if (lane_id == 0) publish(d_words[tile], tile == 0 ? kPrefix : kAggregate, aggregate);
    const unsigned sum_before = look_back(d_words, tile);
    if (lane_id == 0) {
      publish(d_words[tile], kPrefix, sum_before + aggregate);
      sum_before_tile = sum_before;
    }
  }
  scan_warp(items);
  __syncthreads();
  store_items(items, sum_before_tile + sum_before_warp, num_left, d_out + begin);
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  if (num_items == 0) return;
  const int num_tiles = ceil_div(num_items, kItemsPerTile);
  TileWord* d_ticket = scratch.allocate<TileWord>(1 + num_tiles);
  check(cudaMemsetAsync(d_ticket, 0, (1 + num_tiles) * sizeof(TileWord), stream));
  look_back_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(
      as_unsigned(d_in), num_items, as_unsigned(d_out), d_ticket, d_ticket + 1);
  check_launch();
}

}  // namespace lab
