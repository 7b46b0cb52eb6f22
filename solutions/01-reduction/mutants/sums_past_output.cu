// SPDX-License-Identifier: MIT
// mutant of: 04_grid_stride
// mistake: the block sums are written to d_out, which has one element
// expect: failed out_of_bounds
// also: wrong_result
// line: 37
#include <algorithm>
#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kBlocksPerMultiprocessor = 8;
constexpr int kThreadsInLastBlock = 1024;

__global__ void grid_stride_kernel(const float* d_in, int num_items, float* d_block_sums) {
  extern __shared__ float sums[];
  const int t = threadIdx.x;
  const std::int64_t num_threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;

  float sum = 0.0f;
#pragma unroll 8
  for (std::int64_t item = blockIdx.x * blockDim.x + t; item < num_items; item += num_threads) {
    sum += d_in[item];
  }
  sums[t] = sum;

  for (int stride = blockDim.x / 2; stride >= 1; stride /= 2) {
    __syncthreads();
    if (t < stride) sums[t] += sums[t + stride];
  }
  if (t == 0) d_block_sums[blockIdx.x] = sums[0];
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& /*scratch*/,
                cudaStream_t stream) {
  const int most_blocks = num_multiprocessors() * kBlocksPerMultiprocessor;
  const int num_blocks = std::clamp(ceil_div(num_items, kThreadsPerBlock), 1, most_blocks);

  grid_stride_kernel<<<num_blocks, kThreadsPerBlock, kThreadsPerBlock * sizeof(float), stream>>>(
      d_in, num_items, d_out);
  check_launch();
  grid_stride_kernel<<<1, kThreadsInLastBlock, kThreadsInLastBlock * sizeof(float), stream>>>(
      d_out, num_blocks, d_out);
  check_launch();
}

}  // namespace lab
