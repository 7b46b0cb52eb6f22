// SPDX-License-Identifier: MIT
// mutant of: 03_single_pass
// mistake: 2, the second barrier missing: a word is overwritten before all have read it
// expect: failed race
// also: wrong_result, deadlock, timeout
#include <algorithm>

#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/look_back.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = 512;
constexpr int kBlocksPerMultiprocessor = 3;
constexpr int kVectorsPerThread = 4;
constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;
constexpr int kItemsPerThread = 4 * kVectorsPerThread;
constexpr int kItemsPerTile = kThreadsPerBlock * kItemsPerThread;
constexpr int kItemsPerLine = 32;

struct Add {
  __device__ int operator()(int a, int b) const { return a + b; }
};

struct ThreadItems {
  int items[kItemsPerThread];
  unsigned exists;
  __device__ unsigned kept(Predicate keep) const {
    unsigned bits = 0;
#pragma unroll
    for (int i = 0; i < kItemsPerThread; ++i) bits |= (keep(items[i]) ? 1u : 0u) << i;
    return bits & exists;
  }
};

__device__ void load(const int* d_in, int num_items, int tile, ThreadItems& mine) {
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  const int tile_items = min(num_items - tile * kItemsPerTile, kItemsPerTile);
  const int first = (warp_id * kVectorsPerThread * kWarpSize + lane_id) * 4;
  const int* d_first = d_in + tile * kItemsPerTile + first;
  if (tile_items == kItemsPerTile) {
    mine.exists = ~0u;
#pragma unroll
    for (int k = 0; k < kVectorsPerThread; ++k) {
      const int4 vector = __ldcs(reinterpret_cast<const int4*>(d_first) + k * kWarpSize);
      mine.items[4 * k] = vector.x;
      mine.items[4 * k + 1] = vector.y;
      mine.items[4 * k + 2] = vector.z;
      mine.items[4 * k + 3] = vector.w;
    }
  } else {
    mine.exists = 0;
#pragma unroll
    for (int i = 0; i < kItemsPerThread; ++i) {
      const int offset = i / 4 * 4 * kWarpSize + i % 4;
      const bool exists = first + offset < tile_items;
      mine.items[i] = exists ? d_first[offset] : 0;
      mine.exists |= (exists ? 1u : 0u) << i;
    }
  }
}

struct RowRanks {
  unsigned before;
  unsigned counts;
  __device__ int warp_count() const {
    int count = 0;
#pragma unroll
    for (int k = 0; k < kVectorsPerThread; ++k) count += counts >> 8 * k & 0xffu;
    return count;
  }
};

__device__ RowRanks rank_rows(unsigned kept) {
  unsigned own = 0;
#pragma unroll
  for (int k = 0; k < kVectorsPerThread; ++k) own |= __popc(kept >> 4 * k & 0xfu) << 8 * k;
  unsigned inclusive = own;
#pragma unroll
  for (int distance = 1; distance < kWarpSize; distance *= 2) {
    const unsigned below = __shfl_up_sync(kFullWarp, inclusive, distance);
    if (static_cast<int>(threadIdx.x % kWarpSize) >= distance) inclusive += below;
  }
  return {inclusive - own, __shfl_sync(kFullWarp, inclusive, kWarpSize - 1)};
}

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    single_pass_kernel(const int* d_in, int num_items, Predicate keep, int num_tiles,
                       LookBack<int> look_back, int* d_out, int* d_count) {
  __shared__ int kept_items[kItemsPerTile];
  __shared__ int warp_counts[kNumWarps];
  __shared__ int next_tile;
  __shared__ int tile_offset;
  const int t = threadIdx.x;
  const int lane_id = t % kWarpSize;
  const int warp_id = t / kWarpSize;

  int ticket = 0;
  if (t == 0) {
    next_tile = look_back.take_ticket();
    ticket = look_back.take_ticket();
  }
  __syncthreads();
  int tile = next_tile;
  ThreadItems mine = {};
  if (tile < num_tiles) load(d_in, num_items, tile, mine);

  while (tile < num_tiles) {
    const unsigned kept = mine.kept(keep);
    const RowRanks ranks = rank_rows(kept);
    if (lane_id == 0) warp_counts[warp_id] = ranks.warp_count();
    if (t == 0) next_tile = ticket;
    __syncthreads();

    const int count = lane_id < kNumWarps ? warp_counts[lane_id] : 0;
    const int tile_count = __reduce_add_sync(kFullWarp, count);
    int* row = kept_items + __reduce_add_sync(kFullWarp, lane_id < warp_id ? count : 0);
    if (t == 0) {
      look_back.publish(tile, tile_count);
      ticket = look_back.take_ticket();
    }
#pragma unroll
    for (int k = 0; k < kVectorsPerThread; ++k) {
      int* place = row + (ranks.before >> 8 * k & 0xffu);
#pragma unroll
      for (int i = 4 * k; i < 4 * k + 4; ++i) {
        if (kept >> i & 1u) *place++ = mine.items[i];
      }
      row += ranks.counts >> 8 * k & 0xffu;
    }

    const int following = next_tile;
    if (following < num_tiles) load(d_in, num_items, following, mine);
    if (warp_id == 0) {
      const int before = look_back.exclusive_prefix(tile, tile_count, 0, Add{});
      if (lane_id == 0) tile_offset = before;
    }
    __syncthreads();

    const int offset = tile_offset;
    for (int i = t - offset % kItemsPerLine; i < tile_count; i += kThreadsPerBlock) {
      if (i >= 0) __stcs(&d_out[offset + i], kept_items[i]);
    }
    if (tile == num_tiles - 1 && t == 0) d_count[0] = offset + tile_count;
    tile = following;
  }
}

}  // namespace

void compact(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
             Scratch& scratch, cudaStream_t stream) {
  const int num_tiles = std::max(1, ceil_div(num_items, kItemsPerTile));
  const int num_blocks = std::min(num_tiles, num_multiprocessors() * kBlocksPerMultiprocessor);
  const LookBack<int> look_back(num_tiles, scratch, stream);
  single_pass_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, keep, num_tiles,
                                                                  look_back, d_out, d_count);
  check_launch();
}

}  // namespace lab
