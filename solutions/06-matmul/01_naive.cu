// SPDX-License-Identifier: MIT
// One thread per output: one row of A times one column of B, straight from global memory.
// Cost: two reads for each multiply-add. A warp's 32 outputs are neighbours in a row, so it reads
// one word of A, and 32 neighbouring words of B. Limit: the caches, which see every read.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kBlockWidth = 32;  // columns of C: the lanes of a warp
constexpr int kBlockHeight = 8;  // rows of C

__global__ void naive_kernel(const float* d_a, const float* d_b, int num_rows, int num_cols,
                             int depth, float* d_c) {
  const int row = blockIdx.y * kBlockHeight + threadIdx.y;
  const int col = blockIdx.x * kBlockWidth + threadIdx.x;  // the fast index follows threadIdx.x
  if (row >= num_rows || col >= num_cols) return;

  float sum = 0.0f;
  for (int k = 0; k < depth; ++k) sum += d_a[row * depth + k] * d_b[k * num_cols + col];
  d_c[row * num_cols + col] = sum;
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;  // a grid of 0 blocks is an error
  const dim3 block(kBlockWidth, kBlockHeight);
  const dim3 grid(ceil_div(num_cols, kBlockWidth), ceil_div(num_rows, kBlockHeight));
  naive_kernel<<<grid, block, 0, stream>>>(d_a, d_b, num_rows, num_cols, depth, d_c);
  check_launch();
}

}  // namespace lab
