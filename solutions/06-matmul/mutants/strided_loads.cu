// SPDX-License-Identifier: MIT
// mutant of: 01_naive
// mistake: 22, strided, uncoalesced loads: the row follows threadIdx.x
// expect: failed budget
// also: slow
// needs: budget
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kBlockWidth = 32;
constexpr int kBlockHeight = 8;

__global__ void naive_kernel(const float* d_a, const float* d_b, int num_rows, int num_cols,
                             int depth, float* d_c) {
  const int row = blockIdx.x * kBlockWidth + threadIdx.x;
  const int col = blockIdx.y * kBlockHeight + threadIdx.y;
  if (row >= num_rows || col >= num_cols) return;

  float sum = 0.0f;
  for (int k = 0; k < depth; ++k) sum += d_a[row * depth + k] * d_b[k * num_cols + col];
  d_c[row * num_cols + col] = sum;
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;
  const dim3 block(kBlockWidth, kBlockHeight);
  const dim3 grid(ceil_div(num_rows, kBlockWidth), ceil_div(num_cols, kBlockHeight));
  naive_kernel<<<grid, block, 0, stream>>>(d_a, d_b, num_rows, num_cols, depth, d_c);
  check_launch();
}

}  // namespace lab
