// SPDX-License-Identifier: MIT
// mutant of: 07_temporal
// mistake: a pass over memory per step, with the volume between them in scratch memory
// expect: failed budget
// needs: budget
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "stencil.cuh"

namespace lab {
namespace {

constexpr int kWidth = 32;
constexpr int kHeight = 8;

// One step: d_in and d_out (depth, height, width).
__global__ void step_kernel(const float* d_in, int width, int height, int depth, float centre,
                            float neighbour, float* d_out) {
  const int x = blockIdx.x * kWidth + threadIdx.x;
  const int y = blockIdx.y * kHeight + threadIdx.y;
  if (x >= width || y >= height) return;
  const int plane = width * height;
  for (int z = blockIdx.z; z < depth; z += gridDim.z) {
    const int item = z * plane + y * width + x;
    float neighbours = 0;
    if (x > 0) neighbours += d_in[item - 1];
    if (x + 1 < width) neighbours += d_in[item + 1];
    if (y > 0) neighbours += d_in[item - width];
    if (y + 1 < height) neighbours += d_in[item + width];
    if (z > 0) neighbours += d_in[item - plane];
    if (z + 1 < depth) neighbours += d_in[item + plane];
    d_out[item] = centre * d_in[item] + neighbour * neighbours;
  }
}

}  // namespace

void seven_point_twice(const float* d_in, int width, int height, int depth, float centre,
                       float neighbour, float* d_out, Scratch& scratch, cudaStream_t stream) {
  if (width == 0 || height == 0 || depth == 0) return;
  float* const d_between = scratch.allocate<float>(std::size_t{1} * width * height * depth);
  const dim3 grid(ceil_div(width, kWidth), ceil_div(height, kHeight), min(depth, 1024));
  const dim3 block(kWidth, kHeight);
  step_kernel<<<grid, block, 0, stream>>>(d_in, width, height, depth, centre, neighbour, d_between);
  check_launch();
  step_kernel<<<grid, block, 0, stream>>>(d_between, width, height, depth, centre, neighbour,
                                          d_out);
  check_launch();
}

}  // namespace lab
