// SPDX-License-Identifier: MIT
// The mean over any window from four entries of the table: D - B - C + A.
// New: uses the table. Cost: four reads and one write per pixel, whatever the window; all four are
// coalesced, as the corners of neighbouring pixels are neighbours. F. Crow, SIGGRAPH 1984.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "summed_area_table.cuh"

namespace lab {
namespace {

constexpr int kBlockWidth = 64;  // two warps along a row: coalesced
constexpr int kBlockHeight = 4;  // rows that share a corner's sectors in the cache

// d_table(x, y); 0 left of the picture and above it, where there is nothing to sum.
__device__ int entry(const int* d_table, int width, int x, int y) {
  return x < 0 || y < 0 ? 0 : d_table[y * width + x];
}

// One thread per pixel; blocks of kBlockWidth x kBlockHeight, row after row of blocks.
__global__ void box_filter_kernel(const int* d_table, int width, int height, int window_width,
                                  int window_height, float* d_out) {
  const int blocks_across = ceil_div(width, kBlockWidth);
  const int x = blockIdx.x % blocks_across * kBlockWidth + threadIdx.x;
  const int y = blockIdx.x / blocks_across * kBlockHeight + threadIdx.y;
  if (x >= width || y >= height) return;

  // The window, cut to the picture: columns (left, right] and rows (top, bottom].
  const int left = max(x - (window_width - 1) / 2, 0) - 1;
  const int right = min(x + window_width / 2, width - 1);
  const int top = max(y - (window_height - 1) / 2, 0) - 1;
  const int bottom = min(y + window_height / 2, height - 1);

  const int a = entry(d_table, width, left, top);
  const int b = entry(d_table, width, right, top);
  const int c = entry(d_table, width, left, bottom);
  const int d = entry(d_table, width, right, bottom);
  const int sum = d - b - c + a;  // b and c both contain a: it was taken away twice
  const int count = (right - left) * (bottom - top);
  d_out[y * width + x] = static_cast<float>(sum) / static_cast<float>(count);
}

}  // namespace

void box_filter(const int* d_table, int width, int height, int window_width, int window_height,
                float* d_out, Scratch& /*scratch*/, cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  // One dimension of blocks: the grid's second one ends at 65535, a picture's height does not.
  const int num_blocks = ceil_div(width, kBlockWidth) * ceil_div(height, kBlockHeight);
  const dim3 threads_per_block(kBlockWidth, kBlockHeight);
  box_filter_kernel<<<num_blocks, threads_per_block, 0, stream>>>(
      d_table, width, height, window_width, window_height, d_out);
  check_launch();
}

}  // namespace lab
