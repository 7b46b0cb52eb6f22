// SPDX-License-Identifier: MIT
// One thread per item, one atomicAdd an item: right for every length, and slow.
// Cost: num_items additions at one address, one after another, in an arbitrary order.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

__global__ void global_atomic_kernel(const float* d_in, int num_items, float* d_out) {
  const int item = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (item < num_items) atomicAdd(d_out, d_in[item]);
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& /*scratch*/,
                cudaStream_t stream) {
  check(cudaMemsetAsync(d_out, 0, sizeof(float), stream));  // all-zero bytes are 0.0f
  if (num_items == 0) return;                               // a grid of 0 blocks is an error
  const int num_blocks = ceil_div(num_items, kThreadsPerBlock);
  global_atomic_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_out);
  check_launch();
}

}  // namespace lab
