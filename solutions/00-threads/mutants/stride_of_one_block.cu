// SPDX-License-Identifier: MIT
// mutant of: 02_grid_stride
// mistake: a stride of one block's threads: every block goes over the others' items
// expect: failed race
// also: wrong_result
// message: the stride is blockDim.x
// line: 20
#include "lab/cuda_error.cuh"
#include "threads.cuh"

namespace lab {
namespace {

__global__ void scale_kernel(const float* d_in, int num_items, float factor, float* d_out,
                             int* d_thread) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int num_threads = blockDim.x;
  for (int item = thread; item < num_items; item += num_threads) {
    d_out[item] = factor * d_in[item];
    if (d_thread != nullptr) d_thread[item] = thread;
  }
}

}  // namespace

void scale(const float* d_in, int num_items, float factor, int num_blocks, int threads_per_block,
           float* d_out, int* d_thread, cudaStream_t stream) {
  scale_kernel<<<num_blocks, threads_per_block, 0, stream>>>(d_in, num_items, factor, d_out,
                                                             d_thread);
  check_launch();
}

}  // namespace lab
