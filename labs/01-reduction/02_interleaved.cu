// SPDX-License-Identifier: MIT
// A tree in shared memory: each block adds its items pairwise and writes one sum.
// The pairs are neighbours first, then 2 apart, then 4; thread t works where `t % stride == 0`.
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
__global__ void interleaved_kernel(const float* d_in, int num_items, float* d_block_sums) {
  // TODO 1. Declare a tile of kItemsPerBlock floats in static shared memory: __shared__.
  // TODO 2. Each thread loads two items. At each of the two loads, the 32 threads of a warp should
  //         read 32 neighbouring words: which two items are thread t's? What goes into the tile
  //         past the end of the input, so that the sum does not change?
  // TODO 3. For stride = 1, 2, 4, ..., kThreadsPerBlock: every thread with t % stride == 0 adds
  //         tile[2 * t + stride] to tile[2 * t]. Draw it for 8 items first.
  // TODO 4. Which thread wrote tile[2 * t + stride]? Where does __syncthreads() go, and why must it
  //         not be inside the `if`?
  // TODO 5. One thread writes the block's sum.
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  todo("02_interleaved: write the kernel and its launches, then delete this line");

  // TODO 6. A launch leaves one sum per block, and blocks cannot wait for each other. Launch again
  //         on the sums, again and again, until one block writes d_out. How many launches do
  //         2^31 - 1 items need? And what do 0 items need?
  const int num_blocks = std::max(1, ceil_div(num_items, kItemsPerBlock));
  float* d_block_sums = num_blocks == 1 ? d_out : scratch.allocate<float>(num_blocks);
  interleaved_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_block_sums);
  check_launch();
}

}  // namespace lab
