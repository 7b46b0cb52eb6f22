// SPDX-License-Identifier: MIT
// mutant of: 01_matrix_add
// mistake: a grid of 0 blocks is launched for an empty matrix
// expect: failed launch_error
// message: cudaErrorInvalidValue
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "threads.cuh"

namespace lab {
namespace {

constexpr int kBlockWidth = 16;
constexpr int kBlockHeight = 16;

__global__ void matrix_add_kernel(const float* d_a, const float* d_b, int width, int height,
                                  float* d_sum) {
  const int column = blockIdx.x * kBlockWidth + threadIdx.x;
  const int row = blockIdx.y * kBlockHeight + threadIdx.y;
  if (column >= width || row >= height) return;
  const int element = row * width + column;
  d_sum[element] = d_a[element] + d_b[element];
}

}  // namespace

void matrix_add(const float* d_a, const float* d_b, int width, int height, float* d_sum,
                cudaStream_t stream) {
  const dim3 block(kBlockWidth, kBlockHeight);
  const dim3 grid(ceil_div(width, kBlockWidth), ceil_div(height, kBlockHeight));
  matrix_add_kernel<<<grid, block, 0, stream>>>(d_a, d_b, width, height, d_sum);
  check_launch();
}

}  // namespace lab
