// SPDX-License-Identifier: MIT
// mutant of: 02_tiled
// mistake: 3, threads without an output return before the barrier, and load nothing
// expect: failed uninitialized_read
// also: wrong_result, barrier_divergence
// line: 35
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kTileWidth = 32;
constexpr int kPartialTileWidth = 2;

template <int kWidth>
__global__ void tiled_kernel(const float* d_a, const float* d_b, int num_rows, int num_cols,
                             int depth, int num_tiles, float* d_c) {
  __shared__ float a_tile[kWidth][kWidth];
  __shared__ float b_tile[kWidth][kWidth];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * kWidth + ty;
  const int col = blockIdx.x * kWidth + tx;

  if (row >= num_rows || col >= num_cols) return;
  float sum = 0.0f;
  for (int tile = 0; tile < num_tiles; ++tile) {
    const int a_col = tile * kWidth + tx;
    const int b_row = tile * kWidth + ty;
    a_tile[ty][tx] = row < num_rows && a_col < depth ? d_a[row * depth + a_col] : 0.0f;
    b_tile[ty][tx] = b_row < depth && col < num_cols ? d_b[b_row * num_cols + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < kWidth; ++k) sum += a_tile[ty][k] * b_tile[k][tx];
    __syncthreads();
  }
  if (row < num_rows && col < num_cols) d_c[row * num_cols + col] = sum;
}

template <int kWidth>
void launch_tiled(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                  int num_tiles, float* d_c, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;
  const dim3 block(kWidth, kWidth);
  const dim3 grid(ceil_div(num_cols, kWidth), ceil_div(num_rows, kWidth));
  tiled_kernel<kWidth>
      <<<grid, block, 0, stream>>>(d_a, d_b, num_rows, num_cols, depth, num_tiles, d_c);
  check_launch();
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  launch_tiled<kTileWidth>(d_a, d_b, num_rows, num_cols, depth, ceil_div(depth, kTileWidth), d_c,
                           stream);
}

void matmul_partial(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                    int num_tiles, float* d_c, Scratch& /*scratch*/, cudaStream_t stream) {
  launch_tiled<kPartialTileWidth>(d_a, d_b, num_rows, num_cols, depth, num_tiles, d_c, stream);
}

}  // namespace lab
