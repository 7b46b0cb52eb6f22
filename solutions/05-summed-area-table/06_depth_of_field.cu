// SPDX-License-Identifier: MIT
// A picture that is sharp at one distance and blurred before and behind it: every pixel has a
// window of its own, and pays the same for a window of one pixel and for one of a thousand. New:
// the window comes from memory; three tables. Cost: 13 reads and three writes per pixel. Limit:
// a mean includes what lies across an edge, so sharp things glow into what is blurred.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "summed_area_table.cuh"

namespace lab {
namespace {

constexpr int kBlockWidth = 64;
constexpr int kBlockHeight = 4;
constexpr int kNumColours = 3;
constexpr int kMaxNearness = 255;

// Columns (left, right] and rows (top, bottom] of a picture.
struct Window {
  int left, right, top, bottom;
};

__device__ int entry(const int* d_table, int width, int x, int y) {
  return x < 0 || y < 0 ? 0 : d_table[y * width + x];
}

__device__ int window_sum(const int* d_table, int width, const Window& window) {
  return entry(d_table, width, window.right, window.bottom) -
         entry(d_table, width, window.right, window.top) -
         entry(d_table, width, window.left, window.bottom) +
         entry(d_table, width, window.left, window.top);
}

// One thread per pixel; blocks of kBlockWidth x kBlockHeight, row after row of blocks.
__global__ void depth_of_field_kernel(const int* d_tables, const unsigned char* d_nearness,
                                      int width, int height, int focus, int max_radius,
                                      unsigned char* d_out) {
  const int blocks_across = ceil_div(width, kBlockWidth);
  const int x = blockIdx.x % blocks_across * kBlockWidth + threadIdx.x;
  const int y = blockIdx.x / blocks_across * kBlockHeight + threadIdx.y;
  if (x >= width || y >= height) return;

  const std::size_t num_pixels = static_cast<std::size_t>(width) * height;
  const int pixel = y * width + x;
  const int radius = abs(d_nearness[pixel] - focus) * max_radius / kMaxNearness;
  const Window window = {max(x - radius, 0) - 1, min(x + radius, width - 1), max(y - radius, 0) - 1,
                         min(y + radius, height - 1)};
  const int count = (window.right - window.left) * (window.bottom - window.top);
#pragma unroll
  for (int colour = 0; colour < kNumColours; ++colour) {
    const int sum = window_sum(d_tables + colour * num_pixels, width, window);
    // 64 bits: 3 * 2^31 bytes are more than an int can count.
    d_out[std::size_t{kNumColours} * pixel + colour] =
        static_cast<unsigned char>((sum + count / 2) / count);
  }
}

}  // namespace

void depth_of_field(const int* d_tables, const unsigned char* d_nearness, int width, int height,
                    int focus, int max_radius, unsigned char* d_out, Scratch& /*scratch*/,
                    cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const int num_blocks = ceil_div(width, kBlockWidth) * ceil_div(height, kBlockHeight);
  const dim3 threads_per_block(kBlockWidth, kBlockHeight);
  depth_of_field_kernel<<<num_blocks, threads_per_block, 0, stream>>>(
      d_tables, d_nearness, width, height, focus, max_radius, d_out);
  check_launch();
}

}  // namespace lab
