// SPDX-License-Identifier: MIT
// One thread per element, in blocks of 16 x 16 that cover the matrix.
// The last blocks of a row and of a column reach past the matrix: their threads there do nothing.
// Cost: every element read once and written once, neighbouring threads at neighbouring addresses.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "threads.cuh"

namespace lab {
namespace {

constexpr int kBlockWidth = 16;
constexpr int kBlockHeight = 16;

__global__ void matrix_add_kernel(const float* d_a, const float* d_b, int width, int height,
                                  float* d_sum) {
  // x along the row: neighbouring threads of a warp meet neighbouring addresses.
  const int column = blockIdx.x * kBlockWidth + threadIdx.x;
  const int row = blockIdx.y * kBlockHeight + threadIdx.y;
  if (column >= width || row >= height) return;
  const int element = row * width + column;  // row-major: whole rows lie before this one
  d_sum[element] = d_a[element] + d_b[element];
}

}  // namespace

void matrix_add(const float* d_a, const float* d_b, int width, int height, float* d_sum,
                cudaStream_t stream) {
  if (width == 0 || height == 0) return;  // a grid of 0 blocks is an error
  const dim3 block(kBlockWidth, kBlockHeight);
  const dim3 grid(ceil_div(width, kBlockWidth), ceil_div(height, kBlockHeight));
  matrix_add_kernel<<<grid, block, 0, stream>>>(d_a, d_b, width, height, d_sum);
  check_launch();
}

}  // namespace lab
