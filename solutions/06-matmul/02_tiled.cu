// SPDX-License-Identifier: MIT
// A block computes a square tile of C, and walks along the depth in steps of one tile of A and one
// of B, which its threads bring to shared memory together.
// New: each word that a block reads from global memory serves kTileWidth threads. Limit: two reads
// of shared memory for each multiply-add.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kTileWidth = 32;        // a block of 32 x 32 = 1024 threads, the most there can be
constexpr int kPartialTileWidth = 2;  // of matmul_partial, small enough to follow by hand

// Adds the first num_tiles tiles along the depth. One thread per output, kWidth x kWidth per block.
template <int kWidth>
__global__ void tiled_kernel(const float* d_a, const float* d_b, int num_rows, int num_cols,
                             int depth, int num_tiles, float* d_c) {
  __shared__ float a_tile[kWidth][kWidth];  // [row of C][k]
  __shared__ float b_tile[kWidth][kWidth];  // [k][column of C]
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * kWidth + ty;
  const int col = blockIdx.x * kWidth + tx;

  float sum = 0.0f;
  for (int tile = 0; tile < num_tiles; ++tile) {
    // Each thread brings one word of each tile, and neighbours in x read neighbouring words. A word
    // past an edge is 0, which adds nothing. A thread without an output still has to load.
    const int a_col = tile * kWidth + tx;
    const int b_row = tile * kWidth + ty;
    a_tile[ty][tx] = row < num_rows && a_col < depth ? d_a[row * depth + a_col] : 0.0f;
    b_tile[ty][tx] = b_row < depth && col < num_cols ? d_b[b_row * num_cols + col] : 0.0f;
    __syncthreads();  // the tiles are full: a thread reads what 2 * kWidth - 2 others loaded
    for (int k = 0; k < kWidth; ++k) sum += a_tile[ty][k] * b_tile[k][tx];
    __syncthreads();  // the tiles are free: no thread still reads what the next round overwrites
  }
  if (row < num_rows && col < num_cols) d_c[row * num_cols + col] = sum;
}

template <int kWidth>
void launch_tiled(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                  int num_tiles, float* d_c, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;  // a grid of 0 blocks is an error
  const dim3 block(kWidth, kWidth);
  const dim3 grid(ceil_div(num_cols, kWidth), ceil_div(num_rows, kWidth));
  tiled_kernel<kWidth>
      <<<grid, block, 0, stream>>>(d_a, d_b, num_rows, num_cols, depth, num_tiles, d_c);
  check_launch();
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  launch_tiled<kTileWidth>(d_a, d_b, num_rows, num_cols, depth, ceil_div(depth, kTileWidth), d_c,
                           stream);
}

void matmul_partial(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                    int num_tiles, float* d_c, Scratch& /*scratch*/, cudaStream_t stream) {
  launch_tiled<kPartialTileWidth>(d_a, d_b, num_rows, num_cols, depth, num_tiles, d_c, stream);
}

}  // namespace lab
