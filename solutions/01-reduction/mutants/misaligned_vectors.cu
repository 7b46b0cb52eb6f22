// SPDX-License-Identifier: MIT
// mutant of: 06_single_pass
// mistake: float4 loads from the start of an even share, which no multiple of 4 need be
// expect: failed misaligned
// also: crash, launch_error
// line: 58
#include <algorithm>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = 512;
constexpr int kBlocksPerMultiprocessor = 4;
constexpr int kVectorsInFlight = 4;
constexpr int kVectorsPerTile = kThreadsPerBlock * kVectorsInFlight;

__device__ unsigned int blocks_finished;

__device__ float warp_sum(float value) {
  for (int offset = kWarpSize / 2; offset >= 1; offset /= 2) {
    value += __shfl_down_sync(kFullWarp, value, offset);
  }
  return value;
}

__device__ float block_sum(float value) {
  constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;
  __shared__ float warp_sums[kNumWarps];
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;

  value = warp_sum(value);
  if (lane_id == 0) warp_sums[warp_id] = value;
  __syncthreads();
  if (warp_id == 0) value = warp_sum(lane_id < kNumWarps ? warp_sums[lane_id] : 0.0f);
  return value;
}

__device__ float vector_sum(float4 vector) { return (vector.x + vector.y) + (vector.z + vector.w); }

__device__ float thread_sum(const float* d_in, int num_items) {
  const int share = num_items / static_cast<int>(gridDim.x);
  const int begin = blockIdx.x * share;
  const int end = blockIdx.x == gridDim.x - 1 ? num_items : begin + share;
  const int num_vectors = (end - begin) / 4;
  const float4* d_vectors = reinterpret_cast<const float4*>(d_in + begin);
  const int t = threadIdx.x;

  float sum = 0.0f;
#pragma unroll 4
  for (int vector = t; vector < num_vectors; vector += kThreadsPerBlock) {
    sum += vector_sum(d_vectors[vector]);
  }
  const int tail = begin + num_vectors * 4 + t;
  return tail < end ? sum + d_in[tail] : sum;
}

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    single_pass_kernel(const float* d_in, int num_items, float* d_block_sums, float* d_out) {
  const float sum = block_sum(thread_sum(d_in, num_items));
  if (gridDim.x == 1) {
    if (threadIdx.x == 0) d_out[0] = sum;
    return;
  }

  __shared__ bool is_last_block;
  if (threadIdx.x == 0) {
    d_block_sums[blockIdx.x] = sum;
    __threadfence();
    const unsigned int ticket = atomicInc(&blocks_finished, gridDim.x - 1);
    __threadfence();
    is_last_block = ticket == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last_block) return;

  const int num_blocks = gridDim.x;
  float total = 0.0f;
  for (int block = threadIdx.x; block < num_blocks; block += kThreadsPerBlock) {
    total += d_block_sums[block];
  }
  total = block_sum(total);
  if (threadIdx.x == 0) d_out[0] = total;
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  const int most_blocks = num_multiprocessors() * kBlocksPerMultiprocessor;
  const int num_blocks = std::clamp(ceil_div(num_items, kVectorsPerTile * 4), 1, most_blocks);
  float* d_block_sums = scratch.allocate<float>(num_blocks);
  single_pass_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_block_sums,
                                                                  d_out);
  check_launch();
}

}  // namespace lab
