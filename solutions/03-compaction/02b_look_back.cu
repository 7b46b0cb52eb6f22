// SPDX-License-Identifier: MIT
// 02 in one launch that reads each item once: a tile stays in registers and shared memory while it
// learns by look-back what all tiles before it keep. New: tickets and look-back, in place of the
// counting kernel and the scan. 6 bytes move an item, not 10. Limit: 4 bytes per lane and load, and
// small tiles, so many of them wait for each other.
#include <algorithm>

#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/look_back.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = 256;
constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;
constexpr int kRowsPerWarp = 8;  // a row: 32 neighbouring items, one per lane; a warp's rows follow
                                 // on each other, so that a tile's order is warp, row, lane
constexpr int kItemsPerTile = kThreadsPerBlock * kRowsPerWarp;

struct Add {
  __device__ int operator()(int a, int b) const { return a + b; }
};

// Returns the index of this lane's item in a row of its warp.
__device__ int item_index(int tile, int row) {
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  return tile * kItemsPerTile + (warp_id * kRowsPerWarp + row) * kWarpSize + lane_id;
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
__global__ void look_back_kernel(const int* d_in, int num_items, Predicate keep,
                                 LookBack<int> look_back, int* d_out, int* d_count) {
  __shared__ int kept[kItemsPerTile];
  __shared__ int ticket;
  __shared__ int tile_offset;
  const int t = threadIdx.x;
  const unsigned lanes_below = (1u << (t % kWarpSize)) - 1;

  if (t == 0) ticket = look_back.take_ticket();
  __syncthreads();  // ticket is set
  const int tile = ticket;

  int items[kRowsPerWarp];
  int ranks[kRowsPerWarp];  // among what the warp keeps; -1: not kept
  int warp_count = 0;
  for (int row = 0; row < kRowsPerWarp; ++row) {
    const int i = item_index(tile, row);
    items[row] = i < num_items ? d_in[i] : 0;
    const bool is_kept = i < num_items && keep(items[row]);
    const unsigned votes = __ballot_sync(kFullWarp, is_kept);
    ranks[row] = is_kept ? warp_count + __popc(votes & lanes_below) : -1;
    warp_count += __popc(votes);
  }
  const TileCounts counts = count_tile(warp_count);
  if (t == 0) look_back.publish(tile, counts.total);  // first of all: the tiles behind wait for it
  for (int row = 0; row < kRowsPerWarp; ++row) {
    if (ranks[row] >= 0) kept[counts.before_warp + ranks[row]] = items[row];
  }
  if (t < kWarpSize) {
    const int before = look_back.exclusive_prefix(tile, counts.total, 0, Add{});
    if (t == 0) tile_offset = before;
  }
  __syncthreads();  // `kept` and tile_offset are complete

  const int offset = tile_offset;
  for (int i = t; i < counts.total; i += kThreadsPerBlock) d_out[offset + i] = kept[i];
  if (tile == static_cast<int>(gridDim.x) - 1 && t == 0) d_count[0] = offset + counts.total;
}

}  // namespace

void compact(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
             Scratch& scratch, cudaStream_t stream) {
  const int num_tiles =
      std::max(1, ceil_div(num_items, kItemsPerTile));  // one to write a count of 0
  const LookBack<int> look_back(num_tiles, scratch, stream);
  look_back_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, keep, look_back,
                                                               d_out, d_count);
  check_launch();
}

}  // namespace lab
