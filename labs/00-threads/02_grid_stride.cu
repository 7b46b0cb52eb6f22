// SPDX-License-Identifier: MIT
// A loop that steps by the number of threads in the grid: right for every launch shape.
// The launch is the caller's choice now: too few threads for the items, or too many, or just one.
#include "lab/cuda_error.cuh"
#include "lab/todo.cuh"
#include "threads.cuh"

namespace lab {
namespace {

// d_out[i] = factor * d_in[i] for all num_items items; d_thread[i] = the thread that did it, unless
// d_thread is null.
__global__ void scale_kernel(const float* d_in, int num_items, float factor, float* d_out,
                             int* d_thread) {
  // TODO 1. Number the threads of the whole grid from 0: how many threads do the blocks before
  //         this one have? blockDim.x says how many there are in a block.
  // TODO 2. How many threads are there in all? gridDim.x says how many blocks there are.
  // TODO 3. Write a loop: the thread's first item is the one of its own number, and each step goes
  //         by the number of threads. Which items does thread 0 of 512 visit among 2024? Which
  //         does thread 511? When does the loop end, and what does a thread do whose number is
  //         past the last item?
}

}  // namespace

void scale(const float* d_in, int num_items, float factor, int num_blocks, int threads_per_block,
           float* d_out, int* d_thread, cudaStream_t stream) {
  todo("02_grid_stride: write the kernel, then delete this line");

  scale_kernel<<<num_blocks, threads_per_block, 0, stream>>>(d_in, num_items, factor, d_out,
                                                             d_thread);
  check_launch();
}

}  // namespace lab
