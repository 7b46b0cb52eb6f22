// SPDX-License-Identifier: MIT
// The same tree, folded: the active threads are always the first `stride` of the block.
// Copy your 02 here and change only the loop.
#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 1024;
constexpr int kItemsPerBlock = 2 * kThreadsPerBlock;

// Writes the sum of block b's kItemsPerBlock items of d_in (num_items) to d_block_sums[b].
__global__ void contiguous_kernel(const float* d_in, int num_items, float* d_block_sums) {
  // TODO 1. Load the tile as in 02.
  // TODO 2. Fold it: in each step add the second half of what is left to the first half. At which
  //         stride does the loop begin, and where does it end? Which threads are active?
  // TODO 3. In which step does a warp hold both active and idle threads for the first time?
  // TODO 4. In one step, which shared words do the 32 lanes of a warp touch, and in which banks are
  //         they? Compare with 02.
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  todo("03_contiguous: write the kernel and its launches, then delete this line");

  // TODO 5. A launch leaves one sum per block, and blocks cannot wait for each other. Launch again
  //         on the sums, again and again, until one block writes d_out. How many launches do
  //         2^31 - 1 items need? And what do 0 items need?
  const int num_blocks = std::max(1, ceil_div(num_items, kItemsPerBlock));
  float* d_block_sums = num_blocks == 1 ? d_out : scratch.allocate<float>(num_blocks);
  contiguous_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_block_sums);
  check_launch();
}

}  // namespace lab
