// SPDX-License-Identifier: MIT
// Compaction that throws nothing away: kept items first, all others after them, both in order.
// Begin with your 02.
#include <algorithm>

#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/provided_scan.cuh"
#include "lab/todo.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kRowsPerWarp = 8;
constexpr int kItemsPerTile = kThreadsPerBlock * kRowsPerWarp;

// d_counts[b] = how many items tile b of d_in (num_items) keeps.
__global__ void count_kernel(const int* d_in, int num_items, Predicate keep, int* d_counts) {
  // TODO 1. As in 02.
}

// Writes what tile b of d_in (num_items) keeps to d_out from d_offsets[b] on, and its other items
// after the kept items of all tiles.
__global__ void partition_kernel(const int* d_in, int num_items, Predicate keep,
                                 const int* d_counts, const int* d_offsets, int* d_out,
                                 int* d_count) {
  // TODO 2. Item i of the tile is not kept, and k items before it are. How many items before it are
  //         not? No second count is needed, nor a second scan.
  // TODO 3. Put kept items to the front of the tile's array in shared memory and the others after
  //         them. Which threads have no item at all, in the last tile?
  // TODO 4. Where in d_out do the tile's other items begin? You need the number of all kept items:
  //         where is it before this kernel starts?
  // TODO 5. Write both parts, neighbouring threads to neighbouring words.
}

}  // namespace

void partition(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
               Scratch& scratch, cudaStream_t stream) {
  todo("04_partition: write the two kernels and their launches, then delete this line");

  const int num_tiles = std::max(1, ceil_div(num_items, kItemsPerTile));
  int* d_counts = scratch.allocate<int>(num_tiles);
  int* d_offsets = scratch.allocate<int>(num_tiles);

  count_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, keep, d_counts);
  check_launch();
  // TODO 6. As in 02. Would one pass with look-back, as in 03, also work for a partition?
  partition_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, keep, d_counts,
                                                               d_offsets, d_out, d_count);
  check_launch();
}

}  // namespace lab
