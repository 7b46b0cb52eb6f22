// SPDX-License-Identifier: MIT
// A given tiled kernel. It compiles, it was right on the one matrix that its author tried, and
// it has three faults.
// TODO Read it, and write down what you suspect, and for which shapes it would show. Then delete
//      the line with todo(...), run the judge, and repair one fault after the other.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kTileWidth = 16;

__global__ void suspicious_kernel(const float* d_a, const float* d_b, int num_rows, int num_cols,
                                  int depth, float* d_c) {
  __shared__ float a_tile[kTileWidth][kTileWidth];  // [row of C][k]
  __shared__ float b_tile[kTileWidth][kTileWidth];  // [k][column of C]
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * kTileWidth + ty;
  const int col = blockIdx.x * num_cols + tx;

  float sum = 0.0f;
  for (int first_k = 0; first_k < depth; first_k += kTileWidth) {
    a_tile[ty][tx] = d_a[row * depth + first_k + tx];
    b_tile[ty][tx] = d_b[(first_k + ty) * num_cols + col];
    __syncthreads();
    for (int k = 0; k < kTileWidth; ++k) sum += a_tile[ty][k] * b_tile[k][tx];
  }
  if (row < num_rows && col < num_cols) d_c[row * num_cols + col] = sum;
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  todo("06_find_the_bug: read the kernel, then delete this line, and repair what the judge finds");

  if (num_rows == 0 || num_cols == 0) return;  // a grid of 0 blocks is an error
  const dim3 block(kTileWidth, kTileWidth);
  const dim3 grid(ceil_div(num_cols, kTileWidth), ceil_div(num_rows, kTileWidth));
  suspicious_kernel<<<grid, block, 0, stream>>>(d_a, d_b, num_rows, num_cols, depth, d_c);
  check_launch();
}

}  // namespace lab
