// SPDX-License-Identifier: MIT
// style: smart pointers and a std::function that call CUDA and free by their addresses
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "threads.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kMostBlocksInY = 65535;

std::shared_ptr<float> device_array(std::size_t count) {
  float* d_data = nullptr;
  check(cudaMalloc(&d_data, count * sizeof(float)));
  return {d_data, cudaFree};
}

__global__ void table_kernel(const float* d_left, const float* d_top, int num_columns,
                             float* d_table) {
  const int row = blockIdx.x;
  const int step = gridDim.y * kThreadsPerBlock;
  for (int i = blockIdx.y * kThreadsPerBlock + threadIdx.x; i < num_columns; i += step) {
    d_table[std::size_t(row) * num_columns + i] = d_left[row] * d_top[i];
  }
}

}  // namespace

void multiplication_table(const float* h_left, int num_rows, const float* h_top, int num_columns,
                          float* h_table) {
  if (num_rows == 0 || num_columns == 0) return;
  using Freed = std::unique_ptr<float, decltype(&std::free)>;
  const Freed copy(static_cast<float*>(std::malloc(num_rows * sizeof(float))), &std::free);
  for (int row = 0; row < num_rows; ++row) copy.get()[row] = h_left[row];

  const std::size_t num_items = std::size_t(num_rows) * num_columns;
  const auto left = device_array(num_rows);
  const auto top = device_array(num_columns);
  const auto table = device_array(num_items);
  check(cudaMemcpy(left.get(), copy.get(), num_rows * sizeof(float), cudaMemcpyHostToDevice));
  check(cudaMemcpy(top.get(), h_top, num_columns * sizeof(float), cudaMemcpyHostToDevice));
  const std::function<cudaError_t()> finish = cudaDeviceSynchronize;
  const dim3 grid(num_rows, std::min(ceil_div(num_columns, kThreadsPerBlock), kMostBlocksInY));
  table_kernel<<<grid, kThreadsPerBlock>>>(left.get(), top.get(), num_columns, table.get());
  check_launch();
  check(finish());
  check(cudaMemcpy(h_table, table.get(), num_items * sizeof(float), cudaMemcpyDeviceToHost));
}

}  // namespace lab
