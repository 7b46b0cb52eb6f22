// SPDX-License-Identifier: MIT
// mutant of: 02_grid_stride
// mistake: 22, each thread takes a run of neighbouring items
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "threads.cuh"

namespace lab {
namespace {

__global__ void scale_kernel(const float* d_in, int num_items, float factor, float* d_out,
                             int* d_thread) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int num_threads = gridDim.x * blockDim.x;
  const int run = num_items / num_threads + 1;
  for (int item = thread * run; item < min(num_items, (thread + 1) * run); ++item) {
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
