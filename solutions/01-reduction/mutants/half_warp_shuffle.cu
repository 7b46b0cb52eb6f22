// SPDX-License-Identifier: MIT
// mutant of: 05_warp_shuffle
// mistake: a shuffle names all 32 lanes, but only some of them reach it
// expect: failed barrier_divergence
// also: wrong_result
// line: 26
// needs: cpu
#include <algorithm>
#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = 256;
constexpr int kBlocksPerMultiprocessor = 8;
constexpr int kThreadsInLastBlock = 1024;

__device__ float warp_sum(float value) {
  for (int offset = kWarpSize / 2; offset >= 1; offset /= 2) {
    value += __shfl_down_sync(kFullWarp, value, offset);
  }
  return value;
}

__device__ float block_sum(float value) {
  __shared__ float warp_sums[kWarpSize];
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  const unsigned int num_warps = blockDim.x / kWarpSize;

  value = warp_sum(value);
  if (lane_id == 0) warp_sums[warp_id] = value;
  __syncthreads();
  if (threadIdx.x < num_warps) value = warp_sum(warp_sums[lane_id]);
  return value;
}

__global__ void warp_shuffle_kernel(const float* d_in, int num_items, float* d_block_sums) {
  const int t = threadIdx.x;
  const std::int64_t num_threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;

  float sum = 0.0f;
#pragma unroll 8
  for (std::int64_t item = blockIdx.x * blockDim.x + t; item < num_items; item += num_threads) {
    sum += d_in[item];
  }
  sum = block_sum(sum);
  if (t == 0) d_block_sums[blockIdx.x] = sum;
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  const int most_blocks = num_multiprocessors() * kBlocksPerMultiprocessor;
  const int num_blocks = std::clamp(ceil_div(num_items, kThreadsPerBlock), 1, most_blocks);
  float* d_block_sums = scratch.allocate<float>(num_blocks);

  warp_shuffle_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_block_sums);
  check_launch();
  warp_shuffle_kernel<<<1, kThreadsInLastBlock, 0, stream>>>(d_block_sums, num_blocks, d_out);
  check_launch();
}

}  // namespace lab
