// SPDX-License-Identifier: MIT
// mutant of: 04_checked_launch
// mistake: cudaPeekAtLastError: the error stays for the next check to find
// expect: failed launch_error
// message: left it behind
#include "lab/cuda_error.cuh"
#include "threads.cuh"

namespace lab {
namespace {

__global__ void fill_kernel(int first, int num_items, int* d_out) {
  const int num_threads = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < num_items; item += num_threads) {
    d_out[item] = first + item;
  }
}

}  // namespace

void checked_fill(int first, int num_items, int num_blocks, int threads_per_block, int shared_bytes,
                  int* d_out, cudaStream_t stream) {
  fill_kernel<<<num_blocks, threads_per_block, shared_bytes, stream>>>(first, num_items, d_out);
  const cudaError_t error = cudaPeekAtLastError();
  if (error != cudaSuccess) throw CudaError(error);
}

}  // namespace lab
