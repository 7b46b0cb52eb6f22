// SPDX-License-Identifier: MIT
// mutant of: 05_host_flow
// mistake: the host multiplies, and kernels store the products that they get as arguments
// expect: failed forbidden
// message: bytes as arguments
#include <algorithm>
#include <cstddef>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "threads.cuh"

namespace lab {
namespace {

struct Piece {
  float values[256];
};

__global__ void store(Piece piece, int count, float* d_to) {
  if (threadIdx.x < count) d_to[threadIdx.x] = piece.values[threadIdx.x];
}

struct Device {
  explicit Device(std::size_t bytes) { check(cudaMalloc(&d_data, bytes)); }
  ~Device() { cudaFree(d_data); }
  float* d_data = nullptr;
};

}  // namespace

void multiplication_table(const float* h_left, int num_rows, const float* h_top, int num_columns,
                          float* h_table) {
  if (num_rows == 0 || num_columns == 0) return;
  const std::size_t count = std::size_t(num_rows) * num_columns;
  const Device table(count * sizeof(float));
  for (std::size_t first = 0; first < count; first += 256) {
    Piece piece{};
    const int here = std::min<std::size_t>(256, count - first);
    for (int i = 0; i < here; ++i) {
      piece.values[i] = h_left[(first + i) / num_columns] * h_top[(first + i) % num_columns];
    }
    store<<<1, 256>>>(piece, here, table.d_data + first);
    check_launch();
  }
  check(cudaDeviceSynchronize());
  check(cudaMemcpy(h_table, table.d_data, count * sizeof(float), cudaMemcpyDeviceToHost));
}

}  // namespace lab
