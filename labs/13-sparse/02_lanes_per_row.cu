// SPDX-License-Identifier: MIT
// A group of 1 to 32 neighbouring lanes per row, as many as an average row can use: the lanes read
// neighbouring places, and add up their sums by shuffles.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "sparse.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = 256;

// lanes_per_row is a power of two, at most a warp.
__global__ void lanes_per_row_kernel(const int* d_offsets, const int* d_columns,
                                     const float* d_values, int num_rows, int lanes_per_row,
                                     const float* d_x, float* d_y) {
  // TODO 1. Which lane of its group is this thread, and which row does the group add up? A block
  //         has 256 threads: how many rows?
  // TODO 2. Which places does this lane read? Neighbouring lanes should read neighbouring places.
  // TODO 3. Add up the sums of the group with __shfl_down_sync, whose last argument is the width of
  //         a group. All 32 lanes of the warp must reach it, also those without a row.
  // TODO 4. Which lane holds the total, and writes it?
}

}  // namespace

void multiply(const int* d_offsets, const int* d_columns, const float* d_values, int num_rows,
              int /*num_columns*/, int num_nonzeros, const float* d_x, float* d_y,
              Scratch& /*scratch*/, cudaStream_t stream) {
  todo("02_lanes_per_row: write the kernel, choose the lanes, then delete this line");

  if (num_rows == 0) return;     // a grid of 0 blocks is an error
  const int lanes_per_row = 32;  // TODO 5. How many would an average row use? Powers of two only.
  const int num_blocks = ceil_div(num_rows, kThreadsPerBlock / lanes_per_row);
  lanes_per_row_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(
      d_offsets, d_columns, d_values, num_rows, lanes_per_row, d_x, d_y);
  check_launch();
}

}  // namespace lab
