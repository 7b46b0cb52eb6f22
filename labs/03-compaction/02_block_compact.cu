// SPDX-License-Identifier: MIT
// Each block compacts its tile in shared memory and writes it in one piece; only the blocks' counts
// are scanned. Flags and places stay in registers.
#include <algorithm>

#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/provided_scan.cuh"
#include "lab/todo.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr int kThreadsPerBlock = 256;
constexpr int kRowsPerWarp = 8;  // a row: 32 neighbouring items, one per lane; a warp's rows follow
                                 // on each other, so that a tile's order is warp, row, lane
constexpr int kItemsPerTile = kThreadsPerBlock * kRowsPerWarp;

// Returns the index of this lane's item in a row of its warp.
__device__ int item_index(int row) {
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  return blockIdx.x * kItemsPerTile + (warp_id * kRowsPerWarp + row) * kWarpSize + lane_id;
}

// d_counts[b] = how many items tile b of d_in (num_items) keeps.
__global__ void count_kernel(const int* d_in, int num_items, Predicate keep, int* d_counts) {
  // TODO 1. __ballot_sync(mask, vote) collects one bit of every lane, and __popc counts bits. How
  //         many items of a row does the warp keep? What do lanes without an item vote, and why
  //         must they vote at all?
  // TODO 2. Add the counts of the block's warps. One barrier is enough.
}

// Writes what tile b of d_in (num_items) keeps to d_out, from d_offsets[b] on.
__global__ void compact_kernel(const int* d_in, int num_items, Predicate keep, const int* d_offsets,
                               int* d_out, int* d_count) {
  // TODO 3. Of the 32 bits of a vote, which are the lanes below this one? Their number is the
  //         item's rank in its row. What must be added for its rank among what the warp keeps?
  // TODO 4. And for its place in the tile? This needs the counts of the warps before: the same
  //         barrier as in TODO 2.
  // TODO 5. Put the kept items to their places in shared memory: an array of how many ints? Then
  //         write them to d_out, neighbouring threads to neighbouring words. Between the two there
  //         is something to wait for.
  // TODO 6. Which block knows the total count, and how?
}

}  // namespace

void compact(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
             Scratch& scratch, cudaStream_t stream) {
  todo("02_block_compact: write the two kernels and their launches, then delete this line");

  // TODO 7. Why at least one tile? What does its block do when there are no items?
  const int num_tiles = std::max(1, ceil_div(num_items, kItemsPerTile));
  int* d_counts = scratch.allocate<int>(num_tiles);
  int* d_offsets = scratch.allocate<int>(num_tiles);

  count_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, keep, d_counts);
  check_launch();
  // TODO 8. From counts to offsets: with an inclusive or an exclusive scan?
  compact_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, keep, d_offsets,
                                                             d_out, d_count);
  check_launch();
}

}  // namespace lab
