// SPDX-License-Identifier: MIT
// First add during load: each thread sums many items in a register, then the block runs the tree
// of 03 once. The grid is as large as the device, not as the input.
#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

// Writes the sum of what block b's threads pick from d_in (num_items) to d_block_sums[b].
// blockDim.x is a power of two; blockDim.x floats of dynamic shared memory.
__global__ void grid_stride_kernel(const float* d_in, int num_items, float* d_block_sums) {
  // TODO 1. Declare the shared array without a size: extern __shared__. What sets the size?
  // TODO 2. Thread k of the grid adds items k, k + T, k + 2T, ... in a register, with T threads in
  //         the grid. Does k + T stay below 2^31 for every length? std::int64_t helps.
  // TODO 3. Put the register into shared memory and fold as in 03, with blockDim.x threads.
  // TODO 4. Is one load in flight at a time enough to keep the memory busy? Look up #pragma unroll.
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  todo("04_grid_stride: write the kernel and its two launches, then delete this line");

  // TODO 5. One block per multiprocessor: how many more does your device hold at once? See
  //         max_resident_blocks in lab/launch.cuh. How many blocks do 1000 items need? And 0?
  const int num_blocks = num_multiprocessors();
  float* d_block_sums = scratch.allocate<float>(num_blocks);
  // TODO 6. The third launch argument is the size of the dynamic shared memory, in bytes.
  grid_stride_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_block_sums);
  check_launch();
  // TODO 7. The same kernel in one block adds the block sums. How many threads suit it?
  grid_stride_kernel<<<1, kThreadsPerBlock, 0, stream>>>(d_block_sums, num_blocks, d_out);
  check_launch();
}

}  // namespace lab
