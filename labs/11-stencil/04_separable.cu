// SPDX-License-Identifier: MIT
// The weights of a separable filter are a column times a row. So a pass along the rows and a pass
// down the columns do the work of all 81 products.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
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
  __shared__ float tile[kTileAndHalo][kTileAndHalo];
  __shared__ float row_sums[kTileAndHalo][kTile];
  // TODO 1. Load the tile and its halo, as in 03.
  // TODO 2. Filter the rows of the tile into row_sums. Why has row_sums more than kTile rows, and
  //         why not more than kTile columns?
  // TODO 3. Filter the columns of row_sums, and write the pixels. How many products has a pixel
  //         now?
  // TODO 4. Where does a thread read what others have written? What must come before that?
}

}  // namespace

void filter_separable(const float* d_in, int width, int height, const float* d_row,
                      const float* d_column, float* d_out, Scratch& /*scratch*/,
                      cudaStream_t stream) {
  todo("04_separable: write the kernel, then delete this line");

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
