// SPDX-License-Identifier: MIT
// mutant of: 02_block_compact
// mistake: 22, a lane has eight neighbouring items: the lanes of a load lie 32 bytes apart
// expect: failed budget
// needs: budget
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
constexpr int kRowsPerWarp = 8;
constexpr int kItemsPerTile = kThreadsPerBlock * kRowsPerWarp;

__device__ int item_index(int row) {
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  return blockIdx.x * kItemsPerTile + (warp_id * kWarpSize + lane_id) * kRowsPerWarp + row;
}

struct TileCounts {
  int before_warp;
  int total;
};

__device__ TileCounts count_tile(int warp_count) {
  __shared__ int warp_counts[kNumWarps];
  const int warp_id = threadIdx.x / kWarpSize;
  if (threadIdx.x % kWarpSize == 0) warp_counts[warp_id] = warp_count;
  __syncthreads();
  TileCounts counts = {0, 0};
  for (int warp = 0; warp < kNumWarps; ++warp) {
    if (warp == warp_id) counts.before_warp = counts.total;
    counts.total += warp_counts[warp];
  }
  return counts;
}

__global__ void count_kernel(const int* d_in, int num_items, Predicate keep, int* d_counts) {
  int warp_count = 0;
  for (int row = 0; row < kRowsPerWarp; ++row) {
    const int i = item_index(row);
    warp_count += __popc(__ballot_sync(kFullWarp, i < num_items && keep(d_in[i])));
  }
  const TileCounts counts = count_tile(warp_count);
  if (threadIdx.x == 0) d_counts[blockIdx.x] = counts.total;
}

__global__ void compact_kernel(const int* d_in, int num_items, Predicate keep, const int* d_offsets,
                               int* d_out, int* d_count) {
  __shared__ int kept[kItemsPerTile];
  const int t = threadIdx.x;

  int items[kRowsPerWarp];
  int ranks[kRowsPerWarp];
  int lane_count = 0;
  for (int row = 0; row < kRowsPerWarp; ++row) {
    const int i = item_index(row);
    items[row] = i < num_items ? d_in[i] : 0;
    const bool is_kept = i < num_items && keep(items[row]);
    ranks[row] = is_kept ? lane_count++ : -1;
  }
  int lanes_to_here = lane_count;
  for (int distance = 1; distance < kWarpSize; distance *= 2) {
    const int below = __shfl_up_sync(kFullWarp, lanes_to_here, distance);
    if (t % kWarpSize >= distance) lanes_to_here += below;
  }
  const int warp_count = __shfl_sync(kFullWarp, lanes_to_here, kWarpSize - 1);
  for (int row = 0; row < kRowsPerWarp; ++row) {
    if (ranks[row] >= 0) ranks[row] += lanes_to_here - lane_count;
  }
  const TileCounts counts = count_tile(warp_count);
  for (int row = 0; row < kRowsPerWarp; ++row) {
    if (ranks[row] >= 0) kept[counts.before_warp + ranks[row]] = items[row];
  }
  __syncthreads();

  const int offset = d_offsets[blockIdx.x];
  for (int i = t; i < counts.total; i += kThreadsPerBlock) d_out[offset + i] = kept[i];
  if (blockIdx.x == gridDim.x - 1 && t == 0) d_count[0] = offset + counts.total;
}

}  // namespace

void compact(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
             Scratch& scratch, cudaStream_t stream) {
  const int num_tiles = std::max(1, ceil_div(num_items, kItemsPerTile));
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
