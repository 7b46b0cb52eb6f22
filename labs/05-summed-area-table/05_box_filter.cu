// SPDX-License-Identifier: MIT
// The mean over any window from four entries of the table: D - B - C + A.
// Four reads and one write per pixel, whether the window has nine pixels or nine thousand.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "summed_area_table.cuh"

namespace lab {
namespace {

constexpr int kBlockWidth = 64;  // two warps along a row: coalesced
constexpr int kBlockHeight = 4;  // rows that share a corner's sectors in the cache

// d_table(x, y); 0 left of the picture and above it, where there is nothing to sum.
__device__ int entry(const int* d_table, int width, int x, int y) {
  // TODO 1. Where may the picture's window begin, so where may A, B and C lie? Which entries exist?
  return 0;
}

// One thread per pixel; blocks of kBlockWidth x kBlockHeight, row after row of blocks.
__global__ void box_filter_kernel(const int* d_table, int width, int height, int window_width,
                                  int window_height, float* d_out) {
  // TODO 2. Which pixel is this thread's? Blocks are counted in one dimension, threads in two.
  // TODO 3. First and last column and row of the window, cut to the picture. Mind even sizes.
  // TODO 4. D is the table at the window's last row and column. Are A, B and C at its first row and
  //         column, or one before? Draw the four rectangles.
  // TODO 5. Why is A added? By how many pixels do you divide at a border?
}

}  // namespace

void box_filter(const int* d_table, int width, int height, int window_width, int window_height,
                float* d_out, Scratch& /*scratch*/, cudaStream_t stream) {
  todo("05_box_filter: write the kernel and its launch, then delete this line");

  // TODO 6. How many blocks cover the picture? What if it has no pixels?
  const int num_blocks = 1;
  const dim3 threads_per_block(kBlockWidth, kBlockHeight);
  box_filter_kernel<<<num_blocks, threads_per_block, 0, stream>>>(
      d_table, width, height, window_width, window_height, d_out);
  check_launch();
}

}  // namespace lab
