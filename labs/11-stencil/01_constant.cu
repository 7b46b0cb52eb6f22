// SPDX-License-Identifier: MIT
// One thread per point, which reads its nine points from global memory and the nine weights from
// constant memory: a warp reads one weight at a time, and the constant cache broadcasts it.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "stencil.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

__constant__ float weights[kTaps];

// d_in (num_points), d_out (num_points).
__global__ void constant_kernel(const float* d_in, int num_points, float* d_out) {
  // TODO 1. Which point is this thread's? Which threads have none?
  // TODO 2. Add up weights[kRadius + i] * (point x + i). Which values of i are there, and which
  //         points x + i are outside?
}

}  // namespace

void filter_line(const float* d_in, int num_points, const float* d_weights, float* d_out,
                 Scratch& /*scratch*/, cudaStream_t stream) {
  todo("01_constant: write the kernel and what comes before it, then delete this line");

  // TODO 3. d_weights is in device memory. What copies it into `weights`, on `stream`?
  // TODO 4. And without points? What must not happen?
  const int num_blocks = ceil_div(num_points, kThreadsPerBlock);
  constant_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_points, d_out);
  check_launch();
}

}  // namespace lab
