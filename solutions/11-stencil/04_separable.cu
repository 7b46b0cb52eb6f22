// SPDX-License-Identifier: MIT
// The weights of a separable filter are a column times a row. So a pass along the rows and a pass
// down the columns do the work of all 81 products. New: the tile of row sums, in shared memory,
// which needs a halo above and below only. Limit: shared loads, 9 per row sum and 9 per pixel.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "stencil.cuh"

namespace lab {
namespace {

constexpr int kTile = 32;      // pixels, in each direction
constexpr int kBlockRows = 8;  // a block has kBlockRows rows of kTile threads
constexpr int kTileAndHalo = kTile + 2 * kRadius;

__constant__ float row_weights[kTaps];
__constant__ float column_weights[kTaps];

// d_in (height, width), d_out (height, width).
__global__ void __launch_bounds__(kTile* kBlockRows)
    separable_kernel(const float* d_in, int width, int height, float* d_out) {
  __shared__ float tile[kTileAndHalo][kTileAndHalo];  // tile[0][0] is pixel (x0, y0)
  __shared__ float row_sums[kTileAndHalo][kTile];     // row_sums[row] is of the row tile[row]
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int x0 = blockIdx.x * kTile - kRadius;
  const int y0 = blockIdx.y * kTile - kRadius;
  for (int row = ty; row < kTileAndHalo; row += kBlockRows) {
    for (int column = tx; column < kTileAndHalo; column += kTile) {
      const int x = x0 + column;
      const int y = y0 + row;
      const bool is_inside = 0 <= x && x < width && 0 <= y && y < height;
      tile[row][column] = is_inside ? d_in[y * width + x] : 0.0f;
    }
  }
  __syncthreads();  // a thread reads what its neighbours have loaded

  for (int row = ty; row < kTileAndHalo; row += kBlockRows) {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kTaps; ++i) sum += row_weights[i] * tile[row][tx + i];
    row_sums[row][tx] = sum;
  }
  __syncthreads();  // a column is of several threads' row sums

  for (int row = ty; row < kTile; row += kBlockRows) {
    float sum = 0;
#pragma unroll
    for (int j = 0; j < kTaps; ++j) sum += column_weights[j] * row_sums[row + j][tx];
    const int x = blockIdx.x * kTile + tx;
    const int y = blockIdx.y * kTile + row;
    if (x < width && y < height) d_out[y * width + x] = sum;
  }
}

}  // namespace

void filter_separable(const float* d_in, int width, int height, const float* d_row,
                      const float* d_column, float* d_out, Scratch& /*scratch*/,
                      cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  check(cudaMemcpyToSymbolAsync(row_weights, d_row, sizeof row_weights, 0, cudaMemcpyDeviceToDevice,
                                stream));
  check(cudaMemcpyToSymbolAsync(column_weights, d_column, sizeof column_weights, 0,
                                cudaMemcpyDeviceToDevice, stream));
  const dim3 grid(ceil_div(width, kTile), ceil_div(height, kTile));
  separable_kernel<<<grid, dim3(kTile, kBlockRows), 0, stream>>>(d_in, width, height, d_out);
  check_launch();
}

}  // namespace lab
