// SPDX-License-Identifier: MIT
// One thread per row adds up the products of its row.
// Limit: lanes of a warp read places that are a row apart, so a request touches up to 32 sectors,
// and a warp takes as long as the longest of its 32 rows.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "sparse.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

__global__ void thread_per_row_kernel(const int* d_offsets, const int* d_columns,
                                      const float* d_values, int num_rows, const float* d_x,
                                      float* d_y) {
  const int row = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (row >= num_rows) return;
  const int end = d_offsets[row + 1];
  float sum = 0;
  for (int k = d_offsets[row]; k < end; ++k) sum += d_values[k] * d_x[d_columns[k]];
  d_y[row] = sum;
}

}  // namespace

void multiply(const int* d_offsets, const int* d_columns, const float* d_values, int num_rows,
              int /*num_columns*/, int /*num_nonzeros*/, const float* d_x, float* d_y,
              Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0) return;  // a grid of 0 blocks is an error
  const int num_blocks = ceil_div(num_rows, kThreadsPerBlock);
  thread_per_row_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_offsets, d_columns, d_values,
                                                                     num_rows, d_x, d_y);
  check_launch();
}

}  // namespace lab
