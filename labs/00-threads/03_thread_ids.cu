// SPDX-License-Identifier: MIT
// Numbers for threads and blocks of one, two and three dimensions.
// Get one dimension right first, then two, then three: each has its own test.
#include "lab/cuda_error.cuh"
#include "lab/todo.cuh"
#include "threads.cuh"

namespace lab {
namespace {

__global__ void thread_ids_kernel(ThreadIds* d_ids) {
  ThreadIds ids = {};
  // TODO 1. Column, row and layer: as in 01, with blockDim in place of the constants.
  // TODO 2. The thread's number in its block. In one dimension it is threadIdx.x. In two, how many
  //         threads lie in the rows before this one? In three, how many in the layers before?
  // TODO 3. The block's number in the grid: the same formula. Which built-in variable is now the
  //         index, and which is the length of a row?
  // TODO 4. The global id: all threads of the blocks before this one, then the number in the block.
  const int global_id = 0;
  d_ids[global_id] = ids;
}

}  // namespace

void thread_ids(dim3 grid, dim3 block, ThreadIds* d_ids, cudaStream_t stream) {
  todo("03_thread_ids: write the kernel, then delete this line");

  // Nothing to do here: a launch takes dim3, and a plain number where the rest is 1.
  thread_ids_kernel<<<grid, block, 0, stream>>>(d_ids);
  check_launch();
}

}  // namespace lab
