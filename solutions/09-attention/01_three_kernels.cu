// SPDX-License-Identifier: MIT
// Attention as its formula is written: all scores, then the softmax of each row, then the product
// with the values. Scores and weights go through global memory.
// Limit: memory for num_queries * num_keys scores, which are written twice and read four times.
#include <cfloat>

#include "attention.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"

namespace lab {
namespace {

constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kWarpSize = 32;
constexpr int kThreadsPerBlock = 128;
constexpr int kRowsPerBlock = 4;       // of scores, a warp each
constexpr float kScale = 0.08838835f;  // 1 / sqrt(kHeadSize)

// One thread per score.
__global__ void scores_kernel(const float* d_q, const float* d_k, int num_queries, int num_keys,
                              float* d_scores) {
  const int key = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (key >= num_keys) return;
  const int query = blockIdx.y;
  const std::size_t head = blockIdx.z;
  const auto* q = reinterpret_cast<const float4*>(d_q + (head * num_queries + query) * kHeadSize);
  const auto* k = reinterpret_cast<const float4*>(d_k + (head * num_keys + key) * kHeadSize);

  float score = 0;
#pragma unroll 8
  for (int i = 0; i < kHeadSize / 4; ++i) {
    score += q[i].x * k[i].x + q[i].y * k[i].y + q[i].z * k[i].z + q[i].w * k[i].w;
  }
  d_scores[(head * num_queries + query) * num_keys + key] = score * kScale;
}

// One warp per row: scores become weights, in place.
__global__ void softmax_kernel(float* d_scores, std::size_t num_rows, int num_keys) {
  const std::size_t row = blockIdx.x * std::size_t{kRowsPerBlock} + threadIdx.y;
  if (row >= num_rows) return;
  float* const d_row = d_scores + row * num_keys;  // (num_keys)

  float largest = -FLT_MAX;
  for (int key = threadIdx.x; key < num_keys; key += kWarpSize) {
    largest = fmaxf(largest, d_row[key]);
  }
  for (int mask = kWarpSize / 2; mask >= 1; mask /= 2) {
    largest = fmaxf(largest, __shfl_xor_sync(kFullWarp, largest, mask));
  }
  float sum = 0;
  for (int key = threadIdx.x; key < num_keys; key += kWarpSize) sum += expf(d_row[key] - largest);
  for (int mask = kWarpSize / 2; mask >= 1; mask /= 2) {
    sum += __shfl_xor_sync(kFullWarp, sum, mask);
  }
  for (int key = threadIdx.x; key < num_keys; key += kWarpSize) {
    d_row[key] = expf(d_row[key] - largest) / sum;
  }
}

// One thread per element of the outputs: a block has a whole output.
__global__ void product_kernel(const float* d_weights, const float* d_v, int num_queries,
                               int num_keys, float* d_out) {
  const int element = threadIdx.x;
  const std::size_t head = blockIdx.y;
  const std::size_t row = head * num_queries + blockIdx.x;
  const float* const d_row = d_weights + row * num_keys;            // (num_keys)
  const float* const d_values = d_v + head * num_keys * kHeadSize;  // (num_keys, kHeadSize)

  float sum = 0;
#pragma unroll 8
  for (int key = 0; key < num_keys; ++key) sum += d_row[key] * d_values[key * kHeadSize + element];
  d_out[row * kHeadSize + element] = sum;
}

}  // namespace

void attention(const float* d_q, const float* d_k, const float* d_v, int num_heads, int num_queries,
               int num_keys, float* d_out, Scratch& scratch, cudaStream_t stream) {
  if (num_heads == 0 || num_queries == 0) return;  // a grid of 0 blocks is an error
  const std::size_t num_rows = std::size_t{1} * num_heads * num_queries;
  auto* const d_scores = scratch.allocate<float>(num_rows * num_keys);

  const dim3 score_blocks(ceil_div(num_keys, kThreadsPerBlock), num_queries, num_heads);
  scores_kernel<<<score_blocks, kThreadsPerBlock, 0, stream>>>(d_q, d_k, num_queries, num_keys,
                                                               d_scores);
  check_launch();
  softmax_kernel<<<ceil_div(num_rows, std::size_t{kRowsPerBlock}), dim3(kWarpSize, kRowsPerBlock),
                   0, stream>>>(d_scores, num_rows, num_keys);
  check_launch();
  product_kernel<<<dim3(num_queries, num_heads), kHeadSize, 0, stream>>>(d_scores, d_v, num_queries,
                                                                         num_keys, d_out);
  check_launch();
}

}  // namespace lab
