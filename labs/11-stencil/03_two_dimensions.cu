// SPDX-License-Identifier: MIT
// A block loads a square tile of the picture with a halo on all four sides, row by row. Each thread
// computes four pixels of one column.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "stencil.cuh"

namespace lab {
namespace {

constexpr int kTile = 32;      // pixels, in each direction
constexpr int kBlockRows = 8;  // a block has kBlockRows rows of kTile threads
constexpr int kTileAndHalo = kTile + 2 * kRadius;

__constant__ float weights[kTaps][kTaps];

// d_in (height, width), d_out (height, width).
__global__ void __launch_bounds__(kTile* kBlockRows)
    two_dimensions_kernel(const float* d_in, int width, int height, float* d_out) {
  __shared__ float tile[kTileAndHalo][kTileAndHalo];
  // TODO 1. Which pixel belongs into tile[0][0]? Let the rows of threads go through the rows of the
  //         tile. Which lanes of a warp load which pixels, so that the loads are coalesced?
  // TODO 2. A pixel has two coordinates, and can be outside in four ways. Why is it not enough to
  //         compare y * width + x with 0 and width * height?
  // TODO 3. When may a thread read the tile? Which four pixels are this thread's? Add up the 81
  //         products of each.
  // TODO 4. Which of these pixels may you not write?
}

}  // namespace

void filter_picture(const float* d_in, int width, int height, const float* d_weights, float* d_out,
                    Scratch& /*scratch*/, cudaStream_t stream) {
  todo("03_two_dimensions: write the kernel, then delete this line");

  if (width == 0 || height == 0) return;  // a grid of 0 blocks is an error
  check(cudaMemcpyToSymbolAsync(weights, d_weights, sizeof weights, 0, cudaMemcpyDeviceToDevice,
                                stream));
  const dim3 grid(ceil_div(width, kTile), ceil_div(height, kTile));
  two_dimensions_kernel<<<grid, dim3(kTile, kBlockRows), 0, stream>>>(d_in, width, height, d_out);
  check_launch();
}

}  // namespace lab
