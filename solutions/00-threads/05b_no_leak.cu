// SPDX-License-Identifier: MIT
// The same way there and back, and no leak when a call in the middle fails.
// New: device memory is owned by an object whose destructor frees it, so that no way out of the
// function, an exception least of all, can leak.
#include <cstddef>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "threads.cuh"

namespace lab {
namespace {

constexpr int kBlockWidth = 16;
constexpr int kBlockHeight = 16;

// `count` floats of device memory, for as long as this object lives.
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : size_bytes_(count * sizeof(float)) {
    check(cudaMalloc(&d_data_, size_bytes_));
  }
  ~DeviceArray() { cudaFree(d_data_); }      // a destructor must not throw: it cannot report
  DeviceArray(const DeviceArray&) = delete;  // or two objects would free the same memory
  DeviceArray& operator=(const DeviceArray&) = delete;

  float* data() const { return d_data_; }
  void copy_in(const float* h_from) {
    check(cudaMemcpy(d_data_, h_from, size_bytes_, cudaMemcpyHostToDevice));
  }
  void copy_out(float* h_to) const {
    check(cudaMemcpy(h_to, d_data_, size_bytes_, cudaMemcpyDeviceToHost));
  }

 private:
  float* d_data_ = nullptr;
  std::size_t size_bytes_;
};

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
  DeviceArray left(num_rows);
  DeviceArray top(num_columns);
  DeviceArray table(std::size_t(num_rows) * num_columns);  // if this throws, the other two go
  left.copy_in(h_left);
  top.copy_in(h_top);

  const dim3 block(kBlockWidth, kBlockHeight);
  const dim3 grid(ceil_div(num_columns, kBlockWidth), ceil_div(num_rows, kBlockHeight));
  table_kernel<<<grid, block>>>(left.data(), num_rows, top.data(), num_columns, table.data());
  check_launch();
  check(cudaDeviceSynchronize());  // a fault inside the kernel is reported here, by its own name
  table.copy_out(h_table);         // would wait, too
}

}  // namespace lab
