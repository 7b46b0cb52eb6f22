// SPDX-License-Identifier: MIT
// Each block compacts its tile in shared memory and writes it in one piece; only the blocks' counts
// are scanned. Ranks in a warp are votes: a lane's rank is the number of kept lanes below it.
// New: no flag and no place goes through global memory. 10 bytes move an item (half of them kept),
// not 38. Limit: the input is read twice, as a block must know what all blocks before it keep.
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

// Returns the index of this lane's item in a row of its warp.
__device__ int item_index(int row) {
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  return blockIdx.x * kItemsPerTile + (warp_id * kRowsPerWarp + row) * kWarpSize + lane_id;
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

// d_counts[b] = how many items tile b of d_in (num_items) keeps.
__global__ void count_kernel(const int* d_in, int num_items, Predicate keep, int* d_counts) {
  int warp_count = 0;
  for (int row = 0; row < kRowsPerWarp; ++row) {
    const int i = item_index(row);
    warp_count += __popc(__ballot_sync(kFullWarp, i < num_items && keep(d_in[i])));
  }
  const TileCounts counts = count_tile(warp_count);
  if (threadIdx.x == 0) d_counts[blockIdx.x] = counts.total;
}

// Writes what tile b of d_in (num_items) keeps to d_out, from d_offsets[b] on.
__global__ void compact_kernel(const int* d_in, int num_items, Predicate keep, const int* d_offsets,
                               int* d_out, int* d_count) {
  __shared__ int kept[kItemsPerTile];
  const int t = threadIdx.x;
  const unsigned lanes_below = (1u << (t % kWarpSize)) - 1;

  int items[kRowsPerWarp];
  int ranks[kRowsPerWarp];  // among what the warp keeps; -1: not kept
  int warp_count = 0;
  for (int row = 0; row < kRowsPerWarp; ++row) {
    const int i = item_index(row);
    items[row] = i < num_items ? d_in[i] : 0;
    const bool is_kept = i < num_items && keep(items[row]);
    const unsigned votes = __ballot_sync(kFullWarp, is_kept);
    ranks[row] = is_kept ? warp_count + __popc(votes & lanes_below) : -1;
    warp_count += __popc(votes);
  }
  const TileCounts counts = count_tile(warp_count);
  for (int row = 0; row < kRowsPerWarp; ++row) {
    if (ranks[row] >= 0) kept[counts.before_warp + ranks[row]] = items[row];
  }
  __syncthreads();  // `kept` is complete: what a thread writes next, another one put there

  const int offset = d_offsets[blockIdx.x];
  for (int i = t; i < counts.total; i += kThreadsPerBlock) d_out[offset + i] = kept[i];
  if (blockIdx.x == gridDim.x - 1 && t == 0) d_count[0] = offset + counts.total;
}

}  // namespace

void compact(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
             Scratch& scratch, cudaStream_t stream) {
  const int num_tiles =
      std::max(1, ceil_div(num_items, kItemsPerTile));  // one to write a count of 0
  int* d_counts = scratch.allocate<int>(num_tiles);
  int* d_offsets = scratch.allocate<int>(num_tiles);

  count_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, keep, d_counts);
  check_launch();
  exclusive_scan(d_counts, num_tiles, d_offsets, scratch, stream);
  compact_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, keep, d_offsets,
                                                             d_out, d_count);
  check_launch();
}

}  // namespace lab
