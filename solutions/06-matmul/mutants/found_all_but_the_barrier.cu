// SPDX-License-Identifier: MIT
// mutant of: 06_find_the_bug
// mistake: 2, the second barrier missing: two of three faults repaired
// expect: failed race
// also: wrong_result
// line: 32
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kTileWidth = 16;

__global__ void repaired_kernel(const float* d_a, const float* d_b, int num_rows, int num_cols,
                                int depth, float* d_c) {
  __shared__ float a_tile[kTileWidth][kTileWidth];
  __shared__ float b_tile[kTileWidth][kTileWidth];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * kTileWidth + ty;
  const int col = blockIdx.x * kTileWidth + tx;

  float sum = 0.0f;
  for (int first_k = 0; first_k < depth; first_k += kTileWidth) {
    const bool in_a = row < num_rows && first_k + tx < depth;
    const bool in_b = first_k + ty < depth && col < num_cols;
    a_tile[ty][tx] = in_a ? d_a[row * depth + first_k + tx] : 0.0f;
    b_tile[ty][tx] = in_b ? d_b[(first_k + ty) * num_cols + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < kTileWidth; ++k) sum += a_tile[ty][k] * b_tile[k][tx];
  }
  if (row < num_rows && col < num_cols) d_c[row * num_cols + col] = sum;
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;
  const dim3 block(kTileWidth, kTileWidth);
  const dim3 grid(ceil_div(num_cols, kTileWidth), ceil_div(num_rows, kTileWidth));
  repaired_kernel<<<grid, block, 0, stream>>>(d_a, d_b, num_rows, num_cols, depth, d_c);
  check_launch();
}

}  // namespace lab
