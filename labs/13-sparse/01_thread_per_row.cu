// SPDX-License-Identifier: MIT
// One thread per row adds up the products of its row. The simplest kernel; count what it costs.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "sparse.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

__global__ void thread_per_row_kernel(const int* d_offsets, const int* d_columns,
                                      const float* d_values, int num_rows, const float* d_x,
                                      float* d_y) {
  // TODO 1. Which row is this thread's? Which threads have none?
  // TODO 2. At which places are the nonzeros of the row? How does a place lead to an item of d_x?
  // TODO 3. What does d_y get for a row without nonzeros? (It holds garbage at first.)
}

}  // namespace

void multiply(const int* d_offsets, const int* d_columns, const float* d_values, int num_rows,
              int /*num_columns*/, int /*num_nonzeros*/, const float* d_x, float* d_y,
              Scratch& /*scratch*/, cudaStream_t stream) {
  todo("01_thread_per_row: write the kernel and its launch, then delete this line");

  // TODO 4. How many blocks cover all rows? What if there are none?
  thread_per_row_kernel<<<1, kThreadsPerBlock, 0, stream>>>(d_offsets, d_columns, d_values,
                                                            num_rows, d_x, d_y);
  check_launch();
}

}  // namespace lab
