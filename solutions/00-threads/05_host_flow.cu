// SPDX-License-Identifier: MIT
// The whole way from the host and back: allocate, copy in, launch, wait, copy out, free.
// New: the inputs are in the host's memory, which no kernel can use.
// Limit: the copies take longer than the multiplication; and what a failure leaves is 05b's
// subject.
#include <cstddef>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "threads.cuh"

namespace lab {
namespace {

constexpr int kBlockWidth = 16;
constexpr int kBlockHeight = 16;

__global__ void table_kernel(const float* d_left, int num_rows, const float* d_top, int num_columns,
                             float* d_table) {
  const int column = blockIdx.x * kBlockWidth + threadIdx.x;
  const int row = blockIdx.y * kBlockHeight + threadIdx.y;
  if (column >= num_columns || row >= num_rows) return;
  d_table[std::size_t(row) * num_columns + column] = d_left[row] * d_top[column];
}

}  // namespace

void multiplication_table(const float* h_left, int num_rows, const float* h_top, int num_columns,
                          float* h_table) {
  if (num_rows == 0 || num_columns == 0) return;
  const std::size_t left_bytes = num_rows * sizeof(float);
  const std::size_t top_bytes = num_columns * sizeof(float);
  const std::size_t table_bytes = left_bytes * num_columns;  // may not fit an int
  float* d_left = nullptr;
  float* d_top = nullptr;
  float* d_table = nullptr;
  check(cudaMalloc(&d_left, left_bytes));
  check(cudaMalloc(&d_top, top_bytes));
  check(cudaMalloc(&d_table, table_bytes));
  check(cudaMemcpy(d_left, h_left, left_bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(d_top, h_top, top_bytes, cudaMemcpyHostToDevice));

  const dim3 block(kBlockWidth, kBlockHeight);
  const dim3 grid(ceil_div(num_columns, kBlockWidth), ceil_div(num_rows, kBlockHeight));
  table_kernel<<<grid, block>>>(d_left, num_rows, d_top, num_columns, d_table);
  check_launch();
  check(cudaDeviceSynchronize());  // a fault inside the kernel is reported here, by its own name

  check(cudaMemcpy(h_table, d_table, table_bytes, cudaMemcpyDeviceToHost));  // would wait, too
  check(cudaFree(d_table));
  check(cudaFree(d_top));
  check(cudaFree(d_left));
}

}  // namespace lab
