// SPDX-License-Identifier: MIT
// mutant of: 01_global_atomic
// mistake: 25, right only if block 0 runs first: it alone clears the sum
// expect: failed race
// also: wrong_result
// line: 19
// needs: cpu
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

__global__ void global_atomic_kernel(const float* d_in, int num_items, float* d_out) {
  const int item = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (item == 0) d_out[0] = 0.0f;
  __syncthreads();
  if (item < num_items) atomicAdd(d_out, d_in[item]);
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& /*scratch*/,
                cudaStream_t stream) {
  const int num_blocks = num_items == 0 ? 1 : ceil_div(num_items, kThreadsPerBlock);
  global_atomic_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_out);
  check_launch();
}

}  // namespace lab
