// SPDX-License-Identifier: MIT
// style: threads as 32 x 16 with 8 x 4 outputs each, fragments as structs with operators, a double
// buffer
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kRows = 128;
constexpr int kCols = 128;
constexpr int kDepth = 8;
constexpr int kThreadsX = 32;
constexpr int kThreadsY = 16;
constexpr int kThreads = kThreadsX * kThreadsY;
constexpr int kPitch = kRows + 4;

template <int kSize, int kStride>
struct Fragment {
  float items[kSize];
  __device__ explicit Fragment(const float* from) {
#pragma unroll
    for (int i = 0; i < kSize; ++i) items[i] = from[i * kStride];
  }
  __device__ float operator[](int i) const { return items[i]; }
};

using FragmentA = Fragment<kRows / kThreadsY, kThreadsY>;
using FragmentB = Fragment<kCols / kThreadsX, kThreadsX>;

struct Sums {
  float items[kRows / kThreadsY][kCols / kThreadsX] = {};
  __device__ void add(const FragmentA& a, const FragmentB& b) {
#pragma unroll
    for (int i = 0; i < kRows / kThreadsY; ++i) {
#pragma unroll
      for (int j = 0; j < kCols / kThreadsX; ++j) items[i][j] += a[i] * b[j];
    }
  }
};

__global__ void __launch_bounds__(kThreads)
    outer_kernel(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                 float* d_c) {
  __shared__ float a_tile[2][kDepth][kPitch];
  __shared__ float b_tile[2][kDepth][kCols];
  const int t = threadIdx.x;
  const int tx = t % kThreadsX;
  const int ty = t / kThreadsX;
  const int first_row = blockIdx.y * kRows;
  const int first_col = blockIdx.x * kCols;
  Sums sums;
  int stage = 0;
  for (int first = 0; first < depth; first += kDepth, stage ^= 1) {
    for (int i = t; i < kRows * kDepth; i += kThreads) {
      const int row = first_row + i / kDepth;
      const int k = first + i % kDepth;
      a_tile[stage][i % kDepth][i / kDepth] =
          row < num_rows && k < depth ? d_a[row * depth + k] : 0.0f;
    }
    for (int i = t; i < kCols * kDepth; i += kThreads) {
      const int k = first + i / kCols;
      const int col = first_col + i % kCols;
      b_tile[stage][i / kCols][i % kCols] =
          k < depth && col < num_cols ? d_b[k * num_cols + col] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      sums.add(FragmentA(&a_tile[stage][k][ty]), FragmentB(&b_tile[stage][k][tx]));
    }
  }
  for (int i = 0; i < kRows / kThreadsY; ++i) {
    for (int j = 0; j < kCols / kThreadsX; ++j) {
      const int row = first_row + ty + i * kThreadsY;
      const int col = first_col + tx + j * kThreadsX;
      if (row < num_rows && col < num_cols) d_c[row * num_cols + col] = sums.items[i][j];
    }
  }
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch&, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;
  outer_kernel<<<dim3(ceil_div(num_cols, kCols), ceil_div(num_rows, kRows)), kThreads, 0, stream>>>(
      d_a, d_b, num_rows, num_cols, depth, d_c);
  check_launch();
}

}  // namespace lab
