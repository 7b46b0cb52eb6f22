// SPDX-License-Identifier: MIT
// Each thread computes 8 x 8 outputs in registers: 16 words read from shared memory serve 64
// multiply-adds, where 02 reads two words for one.
// New: an outer product in each step along the depth. A's tile is transposed and padded, and a
// thread's outputs are 16 apart, so no two lanes share a bank. Limit: 4 bytes per lane and load.
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
constexpr int kThreadRows = kTileRows / kThreadsY;  // of C, per thread: 8 x 8
constexpr int kThreadCols = kTileCols / kThreadsX;
// A warp writes 4 rows of 8 words of A's tile as columns: 4 words of padding shift each k by 4
// banks, and the 32 words go to 32 banks.
constexpr int kPaddedRows = kTileRows + 4;

__global__ void __launch_bounds__(kThreadsPerBlock)
    thread_tile_kernel(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                       float* d_c) {
  __shared__ float a_tile[kTileDepth][kPaddedRows];  // [k][row]: transposed
  __shared__ float b_tile[kTileDepth][kTileCols];    // [k][col]
  const int t = threadIdx.x;
  const int tx = t % kThreadsX;
  const int ty = t / kThreadsX;
  const int first_row = blockIdx.y * kTileRows;
  const int first_col = blockIdx.x * kTileCols;

  float sums[kThreadRows][kThreadCols] = {};  // of rows ty + 16 i and columns tx + 16 j
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
      float a[kThreadRows];  // a column of A's tile, a row of B's: 16 loads ...
      float b[kThreadCols];
#pragma unroll
      for (int i = 0; i < kThreadRows; ++i) a[i] = a_tile[k][ty + i * kThreadsY];
#pragma unroll
      for (int j = 0; j < kThreadCols; ++j) b[j] = b_tile[k][tx + j * kThreadsX];
#pragma unroll
      for (int i = 0; i < kThreadRows; ++i) {  // ... for 64 multiply-adds
#pragma unroll
        for (int j = 0; j < kThreadCols; ++j) sums[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();  // the tiles are free
  }

#pragma unroll
  for (int i = 0; i < kThreadRows; ++i) {
    const int row = first_row + ty + i * kThreadsY;
#pragma unroll
    for (int j = 0; j < kThreadCols; ++j) {
      const int col = first_col + tx + j * kThreadsX;
      if (row < num_rows && col < num_cols) d_c[row * num_cols + col] = sums[i][j];
    }
  }
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;  // a grid of 0 blocks is an error
  const dim3 grid(ceil_div(num_cols, kTileCols), ceil_div(num_rows, kTileRows));
  thread_tile_kernel<<<grid, kThreadsPerBlock, 0, stream>>>(d_a, d_b, num_rows, num_cols, depth,
                                                            d_c);
  check_launch();
}

}  // namespace lab
