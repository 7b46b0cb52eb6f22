// SPDX-License-Identifier: MIT
// The nonzeros and the ends of the rows are merged into one path of steps, and each thread walks
// equally many of them. New: no row is too long and no row is too short; a row that is cut leaves a
// carry. Limit: three launches, and two searches.
// Source: D. Merrill and M. Garland, "Merge-based Parallel Sparse Matrix-Vector Multiplication",
// SC 2016.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "sparse.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = 256;
constexpr int kStepsPerThread = 5;  // odd, so that the walks of a warp begin in different banks
constexpr int kStepsPerTile = kThreadsPerBlock * kStepsPerThread;

struct Matrix {
  const int* d_offsets;   // (num_rows + 1)
  const int* d_columns;   // (num_nonzeros)
  const float* d_values;  // (num_nonzeros)
  int num_rows;
  int num_nonzeros;
};

// What a row still needs.
struct Carry {
  int row;
  float sum;
};

// How many rows end within the first `step` steps of the path. Before row r ends, the path has the
// r rows and the row_ends[r] nonzeros before it: it ends in step row_ends[r] + r.
__device__ int rows_within(int step, const int* row_ends, int num_rows) {
  int low = 0;
  int high = num_rows;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (row_ends[middle] + middle < step) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// d_first_rows[t] = the rows that end before tile t; (num_tiles + 1).
__global__ void first_rows_kernel(Matrix matrix, int num_tiles, int* d_first_rows) {
  const int tile = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (tile > num_tiles) return;
  const int step = min(tile * kStepsPerTile, matrix.num_rows + matrix.num_nonzeros);
  d_first_rows[tile] = rows_within(step, matrix.d_offsets + 1, matrix.num_rows);
}

// Adds up the sums of neighbouring lanes with the same row. The last of them holds the total.
__device__ float sum_of_row(int row, float sum) {
  const int lane_id = threadIdx.x % kWarpSize;
  for (int distance = 1; distance < kWarpSize; distance *= 2) {
    const int row_below = __shfl_up_sync(kFullWarp, row, distance);
    const float sum_below = __shfl_up_sync(kFullWarp, sum, distance);
    if (lane_id >= distance && row_below == row) sum += sum_below;
  }
  return sum;
}

__device__ bool is_last_of_row(int row) {
  const int row_above = __shfl_down_sync(kFullWarp, row, 1);
  return threadIdx.x % kWarpSize == kWarpSize - 1 || row_above != row;
}

// d_y (num_rows) without the carries; d_carries (gridDim.x).
__global__ void __launch_bounds__(kThreadsPerBlock)
    merge_path_kernel(Matrix matrix, const int* d_first_rows, const float* d_x, float* d_y,
                      Carry* d_carries) {
  __shared__ int row_ends[kStepsPerTile];        // of the rows that end in this tile
  __shared__ float products[kStepsPerTile];      // of the nonzeros of this tile
  __shared__ float row_sums[kStepsPerTile + 1];  // and of the row that ends later
  const int thread = static_cast<int>(threadIdx.x);
  const int num_steps = matrix.num_rows + matrix.num_nonzeros;
  const int first_step = blockIdx.x * kStepsPerTile;
  const int last_step = min(first_step + kStepsPerTile, num_steps);
  const int first_row = d_first_rows[blockIdx.x];
  const int first_nonzero = first_step - first_row;
  const int num_rows = d_first_rows[blockIdx.x + 1] - first_row;
  const int num_nonzeros = last_step - first_step - num_rows;

  for (int i = thread; i < num_rows; i += kThreadsPerBlock) {
    row_ends[i] = matrix.d_offsets[first_row + i + 1] - first_nonzero;
  }
  int columns[kStepsPerThread];
  float values[kStepsPerThread];
#pragma unroll
  for (int i = 0; i < kStepsPerThread; ++i) {  // all loads, before the first is waited for
    const int nonzero = i * kThreadsPerBlock + thread;
    columns[i] = nonzero < num_nonzeros ? matrix.d_columns[first_nonzero + nonzero] : 0;
    values[i] = nonzero < num_nonzeros ? matrix.d_values[first_nonzero + nonzero] : 0.0f;
  }
#pragma unroll
  for (int i = 0; i < kStepsPerThread; ++i) {
    const int nonzero = i * kThreadsPerBlock + thread;
    if (nonzero < num_nonzeros) products[nonzero] = values[i] * d_x[columns[i]];
  }
  if (thread == 0) row_sums[num_rows] = 0;
  __syncthreads();  // the tile is loaded

  const int my_step = min(thread * kStepsPerThread, num_rows + num_nonzeros);
  const int my_end = min(my_step + kStepsPerThread, num_rows + num_nonzeros);
  int row = rows_within(my_step, row_ends, num_rows);
  int nonzero = my_step - row;
  float sum = 0;
  for (int step = my_step; step < my_end; ++step) {
    if (row == num_rows || nonzero < row_ends[row]) {
      sum += products[nonzero++];
    } else {
      row_sums[row++] = sum;
      sum = 0;
    }
  }
  __syncthreads();  // every row's last part is in row_sums

  const float total = sum_of_row(row, sum);
  if (is_last_of_row(row)) atomicAdd(&row_sums[row], total);
  __syncthreads();  // and its other parts

  for (int i = thread; i < num_rows; i += kThreadsPerBlock) d_y[first_row + i] = row_sums[i];
  if (thread == 0) d_carries[blockIdx.x] = {first_row + num_rows, row_sums[num_rows]};
}

// Adds the carries to d_y (num_rows). A carry after the last row is 0.
__global__ void add_carries_kernel(const Carry* d_carries, int num_carries, int num_rows,
                                   float* d_y) {
  const int i = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  const Carry carry = i < num_carries ? d_carries[i] : Carry{num_rows, 0.0f};
  const float total = sum_of_row(carry.row, carry.sum);
  if (is_last_of_row(carry.row) && carry.row < num_rows) atomicAdd(&d_y[carry.row], total);
}

}  // namespace

void multiply(const int* d_offsets, const int* d_columns, const float* d_values, int num_rows,
              int /*num_columns*/, int num_nonzeros, const float* d_x, float* d_y, Scratch& scratch,
              cudaStream_t stream) {
  if (num_rows == 0) return;  // a grid of 0 blocks is an error
  const Matrix matrix = {d_offsets, d_columns, d_values, num_rows, num_nonzeros};
  const int num_tiles = ceil_div(num_rows + num_nonzeros, kStepsPerTile);
  int* d_first_rows = scratch.allocate<int>(num_tiles + 1);
  Carry* d_carries = scratch.allocate<Carry>(num_tiles);

  first_rows_kernel<<<ceil_div(num_tiles + 1, kThreadsPerBlock), kThreadsPerBlock, 0, stream>>>(
      matrix, num_tiles, d_first_rows);
  check_launch();
  merge_path_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(matrix, d_first_rows, d_x, d_y,
                                                                d_carries);
  check_launch();
  add_carries_kernel<<<ceil_div(num_tiles, kThreadsPerBlock), kThreadsPerBlock, 0, stream>>>(
      d_carries, num_tiles, num_rows, d_y);
  check_launch();
}

}  // namespace lab
