// SPDX-License-Identifier: MIT
// 02 in one launch that reads each item once. A tile holds its items while it looks back to find
// how many items all tiles before it keep.
#include <algorithm>

#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/look_back.cuh"
#include "lab/todo.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kRowsPerWarp = 8;  // as in 02
constexpr int kItemsPerTile = kThreadsPerBlock * kRowsPerWarp;

// TODO 1. item_index and the sum over the block's warps are your 02's. But blockIdx.x is no longer
//         the tile: what is?

// d_in, d_out (num_items), d_count (1); `look_back` has a tile per block.
__global__ void look_back_kernel(const int* d_in, int num_items, Predicate keep,
                                 LookBack<int> look_back, int* d_out, int* d_count) {
  // TODO 2. Read lab/look_back.cuh. One thread draws the block's ticket. Which threads need it,
  //         and what must come before they read it?
  // TODO 3. Rank and count the tile's items as in 02's compact_kernel.
  // TODO 4. One thread publishes the tile's count, as soon as the block knows it. Why so early?
  // TODO 5. One warp looks back: exclusive_prefix with a struct that has operator()(int, int). All
  //         of its lanes get the result. How do the other warps get it, and what can they do
  //         meanwhile?
  // TODO 6. Write the tile as in 02. Which block writes d_count? Is it the last block of the grid?
}

}  // namespace

void compact(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
             Scratch& scratch, cudaStream_t stream) {
  todo("02b_look_back: write the kernel and its one launch, then delete this line");

  const int num_tiles = std::max(1, ceil_div(num_items, kItemsPerTile));
  const LookBack<int> look_back(num_tiles, scratch, stream);
  look_back_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, keep, look_back,
                                                               d_out, d_count);
  check_launch();
}

}  // namespace lab
