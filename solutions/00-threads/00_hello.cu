// SPDX-License-Identifier: MIT
// Every thread prints one line: who it is, and the number that it finds in the device's memory.
// All threads run the same code. What differs is what the built-in variables say.
#include <cstdio>

#include "lab/cuda_error.cuh"
#include "threads.cuh"

namespace lab {
namespace {

__global__ void hello_kernel(const int* d_numbers) {
  const int block = blockIdx.x;
  const int thread_in_block = threadIdx.x;
  const int thread = block * blockDim.x + thread_in_block;  // whole blocks lie before this one
  printf("block %d, thread %d: %d\n", block, thread_in_block, d_numbers[thread]);
}

}  // namespace

void hello(const int* d_numbers, int num_blocks, int threads_per_block, cudaStream_t stream) {
  hello_kernel<<<num_blocks, threads_per_block, 0, stream>>>(d_numbers);
  check_launch();
}

}  // namespace lab
