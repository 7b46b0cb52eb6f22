// SPDX-License-Identifier: MIT
// Attention as its formula is written: all scores, then the softmax of each row, then the product
// with the values. Scores and weights go through global memory.
#include <cfloat>

#include "attention.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"

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
  // TODO 1. Which query, key and head are this thread's? The score is the sum of 128 products,
  //         times kScale. How many sectors does a warp read per request, and with float4?
}

// One warp per row: scores become weights, in place.
__global__ void softmax_kernel(float* d_scores, std::size_t num_rows, int num_keys) {
  // TODO 2. The row's largest score, then the sum of all expf(score - largest), then the weights.
  //         Why must the largest be subtracted?
}

// One thread per element of the outputs: a block has a whole output.
__global__ void product_kernel(const float* d_weights, const float* d_v, int num_queries,
                               int num_keys, float* d_out) {
  // TODO 3. The sum over all keys. Which words do the lanes of a warp read in one step, of the
  //         weights and of the values?
}

}  // namespace

void attention(const float* d_q, const float* d_k, const float* d_v, int num_heads, int num_queries,
               int num_keys, float* d_out, Scratch& scratch, cudaStream_t stream) {
  todo("01_three_kernels: write the kernels, then delete this line");

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
