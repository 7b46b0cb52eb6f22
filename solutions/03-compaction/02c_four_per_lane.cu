// SPDX-License-Identifier: MIT
// 02b with four neighbouring items per lane and load. New: 16-byte loads; a byte of one word counts
// each row, so that one scan over the warp ranks four rows; larger tiles. Limit: the phases of a
// tile follow each other, and stores begin anywhere in a line.
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
constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;
constexpr int kVectorsPerThread = 4;  // a byte of one word counts each row, see RowRanks
constexpr int kItemsPerThread = 4 * kVectorsPerThread;
constexpr int kItemsPerTile = kThreadsPerBlock * kItemsPerThread;

struct Add {
  __device__ int operator()(int a, int b) const { return a + b; }
};

// This thread's items of one tile, and which of them exist and are kept: bit i of `kept`, item i.
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

// A warp's k-th vectors form a row of 128 neighbouring items, and its rows follow on each other: a
// tile's order is warp, row, lane, item.
__device__ void load(const int* d_in, int num_items, int tile, ThreadItems& mine) {
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  const int tile_items = min(num_items - tile * kItemsPerTile, kItemsPerTile);
  const int first = (warp_id * kVectorsPerThread * kWarpSize + lane_id) * 4;  // of the tile
  const int* d_first = d_in + tile * kItemsPerTile + first;
  if (tile_items == kItemsPerTile) {
    mine.exists = ~0u;
#pragma unroll
    for (int k = 0; k < kVectorsPerThread; ++k) {
      const int4 vector = reinterpret_cast<const int4*>(d_first)[k * kWarpSize];
      mine.items[4 * k] = vector.x;
      mine.items[4 * k + 1] = vector.y;
      mine.items[4 * k + 2] = vector.z;
      mine.items[4 * k + 3] = vector.w;
    }
  } else {  // the last tile of all
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

// Kept items of a warp's rows, byte k for row k. A row has at most 128, so no byte overflows.
using RowCounts = unsigned;
struct RowRanks {
  RowCounts before;  // in the lanes below
  RowCounts counts;  // in all lanes
};

// One scan over the warp ranks all rows. All 32 lanes must call.
__device__ RowRanks rank_rows(unsigned kept) {
  RowCounts own = 0;
#pragma unroll
  for (int k = 0; k < kVectorsPerThread; ++k) {
    own |= static_cast<RowCounts>(__popc(kept >> 4 * k & 0xfu)) << 8 * k;
  }
  RowCounts inclusive = own;
#pragma unroll
  for (int distance = 1; distance < kWarpSize; distance *= 2) {
    const RowCounts below = __shfl_up_sync(kFullWarp, inclusive, distance);
    if (static_cast<int>(threadIdx.x % kWarpSize) >= distance) inclusive += below;
  }
  return {inclusive - own, __shfl_sync(kFullWarp, inclusive, kWarpSize - 1)};
}

// Where a warp's kept items go in its tile, and how many the tile has.
struct TileCounts {
  int before_warp;
  int total;
};

// warp_count: what the calling warp keeps, in lane 0. All threads must call, once in a kernel.
__device__ TileCounts count_tile(int warp_count) {
  __shared__ int warp_counts[kNumWarps];
  const int warp_id = threadIdx.x / kWarpSize;
  if (threadIdx.x % kWarpSize == 0) warp_counts[warp_id] = warp_count;
  __syncthreads();  // all warps have counted
  TileCounts counts = {0, 0};
  for (int warp = 0; warp < kNumWarps; ++warp) {
    if (warp == warp_id) counts.before_warp = counts.total;
    counts.total += warp_counts[warp];
  }
  return counts;
}

// d_in, d_out (num_items), d_count (1); `look_back` has a tile per block.
__global__ void __launch_bounds__(kThreadsPerBlock)
    four_per_lane_kernel(const int* d_in, int num_items, Predicate keep, LookBack<int> look_back,
                         int* d_out, int* d_count) {
  __shared__ int kept_items[kItemsPerTile];
  __shared__ int ticket;
  __shared__ int tile_offset;
  const int t = threadIdx.x;

  if (t == 0) ticket = look_back.take_ticket();
  __syncthreads();  // ticket is set
  const int tile = ticket;
  ThreadItems mine;
  load(d_in, num_items, tile, mine);
  const unsigned kept = mine.kept(keep);
  const RowRanks ranks = rank_rows(kept);
  int warp_count = 0;
#pragma unroll
  for (int k = 0; k < kVectorsPerThread; ++k) warp_count += ranks.counts >> 8 * k & 0xffu;
  const TileCounts counts = count_tile(warp_count);
  if (t == 0) look_back.publish(tile, counts.total);  // first of all: the tiles behind wait for it

  int* row = kept_items + counts.before_warp;  // where the warp's next row goes
#pragma unroll
  for (int k = 0; k < kVectorsPerThread; ++k) {
    int* place = row + (ranks.before >> 8 * k & 0xffu);
#pragma unroll
    for (int i = 4 * k; i < 4 * k + 4; ++i) {
      if (kept >> i & 1u) *place++ = mine.items[i];
    }
    row += ranks.counts >> 8 * k & 0xffu;
  }
  if (t < kWarpSize) {
    const int before = look_back.exclusive_prefix(tile, counts.total, 0, Add{});
    if (t == 0) tile_offset = before;
  }
  __syncthreads();  // kept_items and tile_offset are complete

  const int offset = tile_offset;
  for (int i = t; i < counts.total; i += kThreadsPerBlock) d_out[offset + i] = kept_items[i];
  if (tile == static_cast<int>(gridDim.x) - 1 && t == 0) d_count[0] = offset + counts.total;
}

}  // namespace

void compact(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
             Scratch& scratch, cudaStream_t stream) {
  const int num_tiles =
      std::max(1, ceil_div(num_items, kItemsPerTile));  // one to write a count of 0
  const LookBack<int> look_back(num_tiles, scratch, stream);
  four_per_lane_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, keep, look_back,
                                                                   d_out, d_count);
  check_launch();
}

}  // namespace lab
