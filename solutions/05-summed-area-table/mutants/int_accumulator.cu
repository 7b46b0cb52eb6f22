// SPDX-License-Identifier: MIT
// mutant of: 01_row_then_column
// mistake: 7, an int accumulates float pixels
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "summed_area_table.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 128;

template <class T>
__global__ void rows_kernel(const T* d_in, int width, int height, T* d_out) {
  const int y = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (y >= height) return;
  int sum = 0;
  for (int x = 0; x < width; ++x) {
    sum += d_in[y * width + x];
    d_out[y * width + x] = sum;
  }
}

template <class T>
__global__ void columns_kernel(T* d_table, int width, int height) {
  const int x = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (x >= width) return;
  T sum = 0;
  for (int y = 0; y < height; ++y) {
    sum += d_table[y * width + x];
    d_table[y * width + x] = sum;
  }
}

template <class T>
void build_table(const T* d_in, int width, int height, T* d_out, cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const int row_blocks = ceil_div(height, kThreadsPerBlock);
  rows_kernel<<<row_blocks, kThreadsPerBlock, 0, stream>>>(d_in, width, height, d_out);
  check_launch();
  const int column_blocks = ceil_div(width, kThreadsPerBlock);
  columns_kernel<<<column_blocks, kThreadsPerBlock, 0, stream>>>(d_out, width, height);
  check_launch();
}

}  // namespace

void summed_area_table(const int* d_in, int width, int height, int* d_out, Scratch& /*scratch*/,
                       cudaStream_t stream) {
  build_table(d_in, width, height, d_out, stream);
}

void summed_area_table_float(const float* d_in, int width, int height, float* d_out,
                             Scratch& /*scratch*/, cudaStream_t stream) {
  build_table(d_in, width, height, d_out, stream);
}

}  // namespace lab
