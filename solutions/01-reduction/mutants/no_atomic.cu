// SPDX-License-Identifier: MIT
// mutant of: 01_global_atomic
// mistake: 15, sum += x from all threads without an atomic
// expect: failed race
// also: wrong_result
// line: 18
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

__global__ void global_atomic_kernel(const float* d_in, int num_items, float* d_out) {
  const int item = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (item < num_items) d_out[0] += d_in[item];
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& /*scratch*/,
                cudaStream_t stream) {
  check(cudaMemsetAsync(d_out, 0, sizeof(float), stream));
  if (num_items == 0) return;
  const int num_blocks = ceil_div(num_items, kThreadsPerBlock);
  global_atomic_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_out);
  check_launch();
}

}  // namespace lab
