// SPDX-License-Identifier: MIT
// Every thread prints one line: who it is, and the number that it finds in the device's memory.
// All threads run the same code. What differs is what the built-in variables say.
#include <cstdio>

#include "lab/cuda_error.cuh"
#include "lab/todo.cuh"
#include "threads.cuh"

namespace lab {
namespace {

__global__ void hello_kernel(const int* d_numbers) {
  // TODO 1. Which thread am I? threadIdx.x is this thread's number in its block, and blockIdx.x is
  //         the number of its block. Both begin at 0.
  // TODO 2. How many threads are in the blocks before this one? blockDim.x says how many a block
  //         has. So what is this thread's number in the whole grid?
  // TODO 3. Print one line with printf: "block 2, thread 5: 4711". The last number is the item of
  //         d_numbers with this thread's number in the grid. What ends a line?
}

}  // namespace

void hello(const int* d_numbers, int num_blocks, int threads_per_block, cudaStream_t stream) {
  todo("00_hello: write the kernel, then delete this line");

  // How many threads start here? In which order will their lines come?
  hello_kernel<<<num_blocks, threads_per_block, 0, stream>>>(d_numbers);
  check_launch();  // a launch returns nothing: check whether it started
}

}  // namespace lab
