// SPDX-License-Identifier: MIT
// The whole way from the host and back: allocate, copy in, launch, wait, copy out, free.
// So far you received device memory. Now you receive host memory, which no kernel can use.
#include <cstddef>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "threads.cuh"

namespace lab {
namespace {

constexpr int kBlockWidth = 16;
constexpr int kBlockHeight = 16;

// d_table (num_rows, num_columns): d_table[row][column] = d_left[row] * d_top[column].
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
  todo("05_host_flow: write the way there and back, then delete this line");

  // TODO 1. Three arrays on the device: check(cudaMalloc(&d_left, size_bytes)) and so on. Sizes are
  //         in bytes. A table of 50000 x 50000: does num_rows * num_columns fit an int?
  // TODO 2. Copy both inputs: check(cudaMemcpy(to, from, size_bytes, cudaMemcpyHostToDevice)).
  // TODO 3. Put device pointers into this launch. What happens with the host's?
  const dim3 block(kBlockWidth, kBlockHeight);
  const dim3 grid(ceil_div(num_columns, kBlockWidth), ceil_div(num_rows, kBlockHeight));
  table_kernel<<<grid, block>>>(h_left, num_rows, h_top, num_columns, h_table);
  check_launch();
  // TODO 4. The launch returns at once, long before the kernel ends. Which call waits for it, and
  //         reports what went wrong inside it?
  // TODO 5. Copy the table back, cudaMemcpyDeviceToHost, and cudaFree all three arrays.
  // TODO 6. What if there are no rows, or no columns?
}

}  // namespace lab
