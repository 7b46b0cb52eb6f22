// SPDX-License-Identifier: MIT
// mutant of: 05b_no_leak
// mistake: a failure of the third allocation frees the first two, one of the second frees nothing
// expect: failed leak
// message: fails: the call ended by an exception
// line: check(cudaMalloc(&d_left, num_rows * sizeof(float)));
// needs: cpu
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
  const std::size_t num_items = std::size_t(num_rows) * num_columns;
  float* d_left = nullptr;
  float* d_top = nullptr;
  float* d_table = nullptr;
  check(cudaMalloc(&d_left, num_rows * sizeof(float)));
  check(cudaMalloc(&d_top, num_columns * sizeof(float)));
  if (const cudaError_t error = cudaMalloc(&d_table, num_items * sizeof(float));
      error != cudaSuccess) {
    cudaFree(d_top);
    cudaFree(d_left);
    static_cast<void>(cudaGetLastError());
    throw CudaError(error);
  }
  check(cudaMemcpy(d_left, h_left, num_rows * sizeof(float), cudaMemcpyHostToDevice));
  check(cudaMemcpy(d_top, h_top, num_columns * sizeof(float), cudaMemcpyHostToDevice));

  const dim3 block(kBlockWidth, kBlockHeight);
  const dim3 grid(ceil_div(num_columns, kBlockWidth), ceil_div(num_rows, kBlockHeight));
  table_kernel<<<grid, block>>>(d_left, num_rows, d_top, num_columns, d_table);
  check_launch();
  check(cudaMemcpy(h_table, d_table, num_items * sizeof(float), cudaMemcpyDeviceToHost));
  check(cudaFree(d_table));
  check(cudaFree(d_top));
  check(cudaFree(d_left));
}

}  // namespace lab
