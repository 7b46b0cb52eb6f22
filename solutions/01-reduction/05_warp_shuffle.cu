// SPDX-License-Identifier: MIT
// A warp adds its 32 sums from register to register; shared memory only carries one sum per warp.
// New: __shfl_down_sync in place of the tree: 5 steps without a barrier, one barrier, 5 more steps.
// Source: J. Luitjens, "Faster Parallel Reductions on Kepler", 2014.
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
constexpr int kThreadsInLastBlock = 1024;  // the second launch is one block, so a large one

// Returns the warp's sum in lane 0; the other lanes hold partial sums. All 32 lanes must call.
__device__ float warp_sum(float value) {
  for (int offset = kWarpSize / 2; offset >= 1; offset /= 2) {
    value += __shfl_down_sync(kFullWarp, value, offset);
  }
  return value;
}

// Returns the block's sum in thread 0. All threads must call; blockDim.x is a multiple of 32.
__device__ float block_sum(float value) {
  __shared__ float warp_sums[kWarpSize];  // a block has at most 32 warps
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  const int num_warps = blockDim.x / kWarpSize;

  value = warp_sum(value);
  if (lane_id == 0) warp_sums[warp_id] = value;
  __syncthreads();  // the first warp reads what all warps wrote
  if (warp_id == 0) value = warp_sum(lane_id < num_warps ? warp_sums[lane_id] : 0.0f);
  return value;
}

__global__ void warp_shuffle_kernel(const float* d_in, int num_items, float* d_block_sums) {
  const int t = threadIdx.x;
  const std::int64_t num_threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;

  // Neighbouring threads read neighbouring items; 64 bits, as item + num_threads may pass 2^31.
  float sum = 0.0f;
#pragma unroll 8  // eight independent loads under way at a time
  for (std::int64_t item = blockIdx.x * blockDim.x + t; item < num_items; item += num_threads) {
    sum += d_in[item];
  }
  sum = block_sum(sum);
  if (t == 0) d_block_sums[blockIdx.x] = sum;
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  const int most_blocks = max_resident_blocks(warp_shuffle_kernel, kThreadsPerBlock);
  const int num_blocks = std::clamp(ceil_div(num_items, kThreadsPerBlock), 1, most_blocks);
  float* d_block_sums = scratch.allocate<float>(num_blocks);

  warp_shuffle_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_block_sums);
  check_launch();
  warp_shuffle_kernel<<<1, kThreadsInLastBlock, 0, stream>>>(d_block_sums, num_blocks, d_out);
  check_launch();
}

}  // namespace lab
