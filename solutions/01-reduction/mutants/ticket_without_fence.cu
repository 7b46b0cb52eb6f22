// SPDX-License-Identifier: MIT
// mutant of: 06_single_pass
// mistake: 25, the last block reads the others' sums without a fence
// expect: failed race
// also: wrong_result
// line: 97
// needs: checkers
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
  const float4* d_vectors = reinterpret_cast<const float4*>(d_in);
  const int num_vectors = num_items / 4;
  const int t = threadIdx.x;

  float sums[kVectorsInFlight] = {};
  int tile = blockIdx.x * kVectorsPerTile;
#pragma unroll 1
  for (; tile + kVectorsPerTile <= num_vectors; tile += gridDim.x * kVectorsPerTile) {
    float4 vectors[kVectorsInFlight];
#pragma unroll
    for (int k = 0; k < kVectorsInFlight; ++k) {
      vectors[k] = __ldcs(&d_vectors[tile + k * kThreadsPerBlock + t]);
    }
#pragma unroll
    for (int k = 0; k < kVectorsInFlight; ++k) sums[k] += vector_sum(vectors[k]);
  }
#pragma unroll
  for (int k = 0; k < kVectorsInFlight; ++k) {
    const int vector = tile + k * kThreadsPerBlock + t;
    if (vector < num_vectors) sums[k] += vector_sum(__ldcs(&d_vectors[vector]));
  }

  float sum = 0.0f;
  for (const float partial : sums) sum += partial;
  const bool has_tail_item = blockIdx.x == 0 && t < num_items % 4;
  return has_tail_item ? sum + d_in[num_vectors * 4 + t] : sum;
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
    const unsigned int ticket = atomicInc(&blocks_finished, gridDim.x - 1);
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
