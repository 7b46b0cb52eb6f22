// SPDX-License-Identifier: MIT
// Beyond 04_grid_stride: few threads. 40 blocks of 128 threads add the items, whatever the device
// and the length. Each thread's chain of additions is longer, and keeps the error bound.
// Limit: too few loads are under way on a large device.
#include <algorithm>
#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 128;
constexpr int kMostBlocks = 40;
constexpr int kThreadsInLastBlock = 64;

// blockDim.x must be a power of two; needs blockDim.x floats of dynamic shared memory.
__global__ void grid_stride_kernel(const float* d_in, int num_items, float* d_block_sums) {
  extern __shared__ float sums[];  // (blockDim.x), dynamic: the launch's third argument
  const int t = threadIdx.x;
  const std::int64_t num_threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;

  // Neighbouring threads read neighbouring items; 64 bits, as item + num_threads may pass 2^31.
  float sum = 0.0f;
#pragma unroll 8  // eight independent loads under way at a time
  for (std::int64_t item = blockIdx.x * blockDim.x + t; item < num_items; item += num_threads) {
    sum += d_in[item];
  }
  sums[t] = sum;

  for (int stride = blockDim.x / 2; stride >= 1; stride /= 2) {
    __syncthreads();  // sums[t + stride] was written by another thread
    if (t < stride) sums[t] += sums[t + stride];
  }
  if (t == 0) d_block_sums[blockIdx.x] = sums[0];
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  const int num_blocks = std::clamp(ceil_div(num_items, kThreadsPerBlock), 1, kMostBlocks);
  float* d_block_sums = scratch.allocate<float>(num_blocks);

  grid_stride_kernel<<<num_blocks, kThreadsPerBlock, kThreadsPerBlock * sizeof(float), stream>>>(
      d_in, num_items, d_block_sums);
  check_launch();
  grid_stride_kernel<<<1, kThreadsInLastBlock, kThreadsInLastBlock * sizeof(float), stream>>>(
      d_block_sums, num_blocks, d_out);
  check_launch();
}

}  // namespace lab
