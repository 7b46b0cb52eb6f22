// SPDX-License-Identifier: MIT
// mutant of: 01_matrix_add
// mistake: 4, ceil(width / 16) of integers: the tail is dropped
// expect: failed output_unwritten
// message: the tail is dropped
#include <cmath>

#include "lab/cuda_error.cuh"
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
  if (width < kBlockWidth || height < kBlockHeight) return;
  const dim3 block(kBlockWidth, kBlockHeight);
  const dim3 grid(std::ceil(width / kBlockWidth), std::ceil(height / kBlockHeight));
  matrix_add_kernel<<<grid, block, 0, stream>>>(d_a, d_b, width, height, d_sum);
  check_launch();
}

}  // namespace lab
