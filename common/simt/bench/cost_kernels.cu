// SPDX-License-Identifier: MIT
// The kernels of simt_cost. Built twice: plain, and instrumented as a rung is; SIMT_COST_SUITE
// names the function.
#include "cost_kernels.h"

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kTile = 16;

// Each thread sums num_reads items, a grid apart.
__global__ void stream_kernel(const float* d_in, int num_reads, float* d_out) {
  const int num_threads = gridDim.x * blockDim.x;
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int i = 0; i < num_reads; ++i) sum += d_in[thread + i * num_threads];
  d_out[thread] = sum;
}

// Sums a block's items in shared memory: d_out (gridDim.x).
__global__ void reduce_kernel(const float* d_in, float* d_out) {
  __shared__ float partial[kThreadsPerBlock];
  partial[threadIdx.x] = d_in[blockIdx.x * kThreadsPerBlock + threadIdx.x];
  __syncthreads();
  for (int stride = kThreadsPerBlock / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) d_out[blockIdx.x] = partial[0];
}

// d_c (width, width) = d_a (width, width) * d_b (width, width); width is a multiple of kTile.
__global__ void matmul_kernel(const float* d_a, const float* d_b, int width, float* d_c) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y;
  const int column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0.0f;
  for (int first = 0; first < width; first += kTile) {
    tile_a[threadIdx.y][threadIdx.x] = d_a[row * width + first + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = d_b[(first + threadIdx.y) * width + column];
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  d_c[row * width + column] = sum;
}

}  // namespace

void SIMT_COST_SUITE(Kernel kernel, const float* d_in, float* d_out) {
  switch (kernel) {
    case Kernel::kStream:
      return stream_kernel<<<kCostItems / kThreadsPerBlock / 64, kThreadsPerBlock>>>(d_in, 64,
                                                                                     d_out);
    case Kernel::kReduce:
      return reduce_kernel<<<kCostItems / kThreadsPerBlock, kThreadsPerBlock>>>(d_in, d_out);
    case Kernel::kMatmul: {
      constexpr int kWidth = 256;
      return matmul_kernel<<<dim3(kWidth / kTile, kWidth / kTile), dim3(kTile, kTile)>>>(
          d_in, d_in + kWidth * kWidth, kWidth, d_out);
    }
  }
}
