// SPDX-License-Identifier: MIT
// The tiles of 03, read from shared memory in float4: 64 multiply-adds take 4 loads, not 16.
// New: a thread's outputs lie in four patches of 4 x 4. So a vector holds four of its words, and
// eight neighbouring lanes read 32 neighbouring words. Limit: global memory is read word by word.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kTileRows = 128;  // of C, per block
constexpr int kTileCols = 128;
constexpr int kTileDepth = 8;
constexpr int kThreadsX = 16;  // a block's threads as a square
constexpr int kThreadsY = 16;
constexpr int kThreadsPerBlock = kThreadsX * kThreadsY;
constexpr int kPatches = 2;  // a thread has 2 x 2 patches of 4 x 4 outputs, half a tile apart
constexpr int kPaddedRows = kTileRows + 4;  // a multiple of 4: each row starts on 16 bytes

__global__ void __launch_bounds__(kThreadsPerBlock)
    shared_vectors_kernel(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                          float* d_c) {
  alignas(16) __shared__ float a_tile[kTileDepth][kPaddedRows];  // [k][row]: transposed
  alignas(16) __shared__ float b_tile[kTileDepth][kTileCols];    // [k][col]
  const int t = threadIdx.x;
  const int first_row = blockIdx.y * kTileRows;
  const int first_col = blockIdx.x * kTileCols;
  const int my_row = t / kThreadsX * 4;  // where its first patch starts in the tile
  const int my_col = t % kThreadsX * 4;

  float sums[kPatches * 4][kPatches * 4] = {};
  for (int first_k = 0; first_k < depth; first_k += kTileDepth) {
#pragma unroll
    for (int i = t; i < kTileRows * kTileDepth; i += kThreadsPerBlock) {
      const int row = first_row + i / kTileDepth;
      const int k = first_k + i % kTileDepth;
      a_tile[i % kTileDepth][i / kTileDepth] =
          row < num_rows && k < depth ? d_a[row * depth + k] : 0.0f;
    }
#pragma unroll
    for (int i = t; i < kTileDepth * kTileCols; i += kThreadsPerBlock) {
      const int k = first_k + i / kTileCols;
      const int col = first_col + i % kTileCols;
      b_tile[i / kTileCols][i % kTileCols] =
          k < depth && col < num_cols ? d_b[k * num_cols + col] : 0.0f;
    }
    __syncthreads();  // the tiles are full
#pragma unroll
    for (int k = 0; k < kTileDepth; ++k) {
      alignas(16) float a[kPatches * 4];
      alignas(16) float b[kPatches * 4];
#pragma unroll
      for (int patch = 0; patch < kPatches; ++patch) {  // 4 loads for 64 multiply-adds
        reinterpret_cast<float4*>(a)[patch] =
            *reinterpret_cast<const float4*>(&a_tile[k][my_row + patch * kTileRows / kPatches]);
        reinterpret_cast<float4*>(b)[patch] =
            *reinterpret_cast<const float4*>(&b_tile[k][my_col + patch * kTileCols / kPatches]);
      }
#pragma unroll
      for (int i = 0; i < kPatches * 4; ++i) {
#pragma unroll
        for (int j = 0; j < kPatches * 4; ++j) sums[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();  // the tiles are free
  }

#pragma unroll
  for (int i = 0; i < kPatches * 4; ++i) {
    const int row = first_row + my_row + i / 4 * (kTileRows / kPatches) + i % 4;
#pragma unroll
    for (int j = 0; j < kPatches * 4; ++j) {
      const int col = first_col + my_col + j / 4 * (kTileCols / kPatches) + j % 4;
      if (row < num_rows && col < num_cols) d_c[row * num_cols + col] = sums[i][j];
    }
  }
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;  // a grid of 0 blocks is an error
  const dim3 grid(ceil_div(num_cols, kTileCols), ceil_div(num_rows, kTileRows));
  shared_vectors_kernel<<<grid, kThreadsPerBlock, 0, stream>>>(d_a, d_b, num_rows, num_cols, depth,
                                                               d_c);
  check_launch();
}

}  // namespace lab
