// SPDX-License-Identifier: MIT
// One thread per point, which reads its nine points from global memory and the nine weights from
// constant memory: a warp reads one weight at a time, and the constant cache broadcasts it.
// Limit: nine loads per point. The L1 cache serves most of them, but each takes its time there.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "stencil.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

__constant__ float weights[kTaps];

// d_in (num_points), d_out (num_points).
__global__ void constant_kernel(const float* d_in, int num_points, float* d_out) {
  const int x = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (x >= num_points) return;
  float sum = 0;
#pragma unroll
  for (int i = -kRadius; i <= kRadius; ++i) {
    const bool is_inside = 0 <= x + i && x + i < num_points;
    if (is_inside) sum += weights[kRadius + i] * d_in[x + i];
  }
  d_out[x] = sum;
}

}  // namespace

void filter_line(const float* d_in, int num_points, const float* d_weights, float* d_out,
                 Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_points == 0) return;  // a grid of 0 blocks is an error
  check(cudaMemcpyToSymbolAsync(weights, d_weights, sizeof weights, 0, cudaMemcpyDeviceToDevice,
                                stream));
  const int num_blocks = ceil_div(num_points, kThreadsPerBlock);
  constant_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_points, d_out);
  check_launch();
}

}  // namespace lab
