// SPDX-License-Identifier: MIT
// mutant of: 01_matrix_add
// mistake: rows are taken to be as long as the matrix is high
// expect: failed out_of_bounds
// also: output_unwritten, wrong_result, race
// line: 23
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
  const int element = row * height + column;
  d_sum[element] = d_a[element] + d_b[element];
}

}  // namespace

void matrix_add(const float* d_a, const float* d_b, int width, int height, float* d_sum,
                cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const dim3 block(kBlockWidth, kBlockHeight);
  const dim3 grid(ceil_div(width, kBlockWidth), ceil_div(height, kBlockHeight));
  matrix_add_kernel<<<grid, block, 0, stream>>>(d_a, d_b, width, height, d_sum);
  check_launch();
}

}  // namespace lab
