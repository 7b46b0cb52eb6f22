// SPDX-License-Identifier: MIT
// A launch that cannot work is reported, with its name, and leaves nothing behind.
// The kernel is given. Write what lab::check_launch() does. The judge would accept a call of it;
// the lesson is to write it.
#include "lab/cuda_error.cuh"
#include "lab/todo.cuh"
#include "threads.cuh"

namespace lab {
namespace {

// d_out[i] = first + i for all num_items items, by any number of threads: 02 explains the loop.
__global__ void fill_kernel(int first, int num_items, int* d_out) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int item = thread; item < num_items; item += gridDim.x * blockDim.x) {
    d_out[item] = first + item;
  }
}

}  // namespace

void checked_fill(int first, int num_items, int num_blocks, int threads_per_block, int shared_bytes,
                  int* d_out, cudaStream_t stream) {
  todo("04_checked_launch: check the launch, then delete this line");

  fill_kernel<<<num_blocks, threads_per_block, shared_bytes, stream>>>(first, num_items, d_out);
  // TODO 1. <<<...>>> returns nothing, and with 2048 threads_per_block nothing runs. Delete the
  //         line with todo() and check: what does the judge see?
  // TODO 2. The runtime remembers the error of the last call that failed. Two functions return it
  //         as a cudaError_t: cudaPeekAtLastError() and cudaGetLastError(). What is the difference,
  //         and what would the next caller get?
  // TODO 3. If it is not cudaSuccess, throw CudaError(...) with the code. The judge expects the
  //         code of this very launch, and no error left in the runtime.
}

}  // namespace lab
