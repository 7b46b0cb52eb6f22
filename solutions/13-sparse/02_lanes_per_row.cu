// SPDX-License-Identifier: MIT
// A group of 1 to 32 neighbouring lanes per row: the lanes read neighbouring places, and add up
// their sums by shuffles. New: coalesced reads. An average row has one or two nonzeros
// per lane, so that short rows waste few lanes. Limit: one row of a million keeps one group busy
// long after the rest. Source: N. Bell and M. Garland, "Implementing Sparse Matrix-Vector
// Multiplication on Throughput-Oriented Processors", SC 2009.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
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
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % lanes_per_row;  // of the group
  const int rows_per_block = kThreadsPerBlock / lanes_per_row;
  const int row = blockIdx.x * rows_per_block + thread / lanes_per_row;

  float sum = 0;
  if (row < num_rows) {  // no early return: the shuffles need all lanes
    const int end = d_offsets[row + 1];
    for (int k = d_offsets[row] + lane; k < end; k += lanes_per_row) {
      sum += d_values[k] * d_x[d_columns[k]];
    }
  }
  for (int distance = lanes_per_row / 2; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(kFullWarp, sum, distance, lanes_per_row);
  }
  if (lane == 0 && row < num_rows) d_y[row] = sum;
}

}  // namespace

void multiply(const int* d_offsets, const int* d_columns, const float* d_values, int num_rows,
              int /*num_columns*/, int num_nonzeros, const float* d_x, float* d_y,
              Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0) return;  // a grid of 0 blocks is an error
  const int mean = num_nonzeros / num_rows;
  int lanes_per_row = 1;
  while (2 * lanes_per_row < mean && lanes_per_row < kWarpSize) lanes_per_row *= 2;
  const int num_blocks = ceil_div(num_rows, kThreadsPerBlock / lanes_per_row);
  lanes_per_row_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(
      d_offsets, d_columns, d_values, num_rows, lanes_per_row, d_x, d_y);
  check_launch();
}

}  // namespace lab
