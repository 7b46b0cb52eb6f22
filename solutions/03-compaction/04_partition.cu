// SPDX-License-Identifier: MIT
// Compaction that throws nothing away: kept items first, all others behind them, both in order.
// New against 02: an item that is not kept has a place as well, its index less the kept items
// before it. Limit: 12 bytes per item: that place needs the number of all kept items, which is
// known only when every item has been seen. This is one pass of a binary radix sort.
#include <algorithm>

#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/provided_scan.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = 256;
constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;
constexpr int kRowsPerWarp = 8;  // a row: 32 neighbouring items, one per lane; a warp's rows follow
                                 // on each other, so that a tile's order is warp, row, lane
constexpr int kItemsPerTile = kThreadsPerBlock * kRowsPerWarp;

// Returns the index in its tile of this lane's item in a row of its warp.
__device__ int index_in_tile(int row) {
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  return (warp_id * kRowsPerWarp + row) * kWarpSize + lane_id;
}

// Where a warp's kept items go among those of its tile, and how many the tile has.
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

// d_counts[b] = how many items tile b of d_in (num_items) keeps.
__global__ void count_kernel(const int* d_in, int num_items, Predicate keep, int* d_counts) {
  int warp_count = 0;
#pragma unroll
  for (int row = 0; row < kRowsPerWarp; ++row) {
    const int i = blockIdx.x * kItemsPerTile + index_in_tile(row);
    warp_count += __popc(__ballot_sync(kFullWarp, i < num_items && keep(d_in[i])));
  }
  const TileCounts counts = count_tile(warp_count);
  if (threadIdx.x == 0) d_counts[blockIdx.x] = counts.total;
}

// Writes what tile b of d_in (num_items) keeps to d_out from d_offsets[b] on, and its other items
// behind the kept items of all tiles.
__global__ void partition_kernel(const int* d_in, int num_items, Predicate keep,
                                 const int* d_counts, const int* d_offsets, int* d_out,
                                 int* d_count) {
  __shared__ int sorted[kItemsPerTile];  // kept items, then the others
  const int t = threadIdx.x;
  const unsigned lanes_below = (1u << (t % kWarpSize)) - 1;
  const int first_item = blockIdx.x * kItemsPerTile;
  const int tile_items = min(num_items - first_item, kItemsPerTile);

  int items[kRowsPerWarp];
  int kept_before[kRowsPerWarp];  // by this warp
  bool is_kept[kRowsPerWarp];
  int warp_count = 0;
#pragma unroll
  for (int row = 0; row < kRowsPerWarp; ++row) {
    const int i = index_in_tile(row);
    items[row] = i < tile_items ? d_in[first_item + i] : 0;
    is_kept[row] = i < tile_items && keep(items[row]);
    const unsigned votes = __ballot_sync(kFullWarp, is_kept[row]);
    kept_before[row] = warp_count + __popc(votes & lanes_below);
    warp_count += __popc(votes);
  }
  const TileCounts counts = count_tile(warp_count);
#pragma unroll
  for (int row = 0; row < kRowsPerWarp; ++row) {
    const int i = index_in_tile(row);
    const int kept_before_item = counts.before_warp + kept_before[row];
    const int place = is_kept[row] ? kept_before_item : counts.total + (i - kept_before_item);
    if (i < tile_items) sorted[place] = items[row];
  }
  __syncthreads();  // `sorted` is complete: what a thread writes next, another one put there

  const int num_kept = d_offsets[gridDim.x - 1] + d_counts[gridDim.x - 1];
  const int kept_offset = d_offsets[blockIdx.x];
  const int rest_offset = num_kept + (first_item - kept_offset) - counts.total;
  for (int i = t; i < tile_items; i += kThreadsPerBlock) {
    d_out[(i < counts.total ? kept_offset : rest_offset) + i] = sorted[i];
  }
  if (blockIdx.x == 0 && t == 0) d_count[0] = num_kept;
}

}  // namespace

void partition(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
               Scratch& scratch, cudaStream_t stream) {
  const int num_tiles = std::max(1, ceil_div(num_items, kItemsPerTile));  // one to count no items
  int* d_counts = scratch.allocate<int>(num_tiles);
  int* d_offsets = scratch.allocate<int>(num_tiles);

  count_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, keep, d_counts);
  check_launch();
  exclusive_scan(d_counts, num_tiles, d_offsets, scratch, stream);
  partition_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, keep, d_counts,
                                                               d_offsets, d_out, d_count);
  check_launch();
}

}  // namespace lab
