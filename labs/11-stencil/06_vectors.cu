// SPDX-License-Identifier: MIT
// A thread has four neighbouring columns, a float4 of each plane. The points left and right are in
// the thread's own registers, or in those of the neighbouring lanes.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "stencil.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kRows = 8;     // of a block's tile; a warp has one, of 128 points
constexpr int kPlanes = 64;  // through which a block slides

struct Volume {
  const float* d_in;  // (depth, height, width)
  int width, height, depth;

  __device__ bool contains(int x, int y, int z) const {
    return 0 <= x && x < width && 0 <= y && y < height && 0 <= z && z < depth;
  }
  __device__ int item(int x, int y, int z) const { return (z * height + y) * width + x; }
  __device__ float at(int x, int y, int z) const {
    return contains(x, y, z) ? d_in[item(x, y, z)] : 0.0f;
  }
  // The points from x to x + 3. As x and the width are multiples of 4, all are inside or none is.
  __device__ float4 four_at(int x, int y, int z) const {
    if (!contains(x, y, z)) return make_float4(0, 0, 0, 0);
    return *reinterpret_cast<const float4*>(&d_in[item(x, y, z)]);
  }
};

// d_out (depth, height, width).
__global__ void __launch_bounds__(kWarpSize* kRows)
    vectors_kernel(Volume volume, float centre, float neighbour, float* d_out) {
  // TODO 1. Which four columns are this thread's? Slide along z as in 05, with a float4 for each of
  //         below, here and above.
  // TODO 2. before and after are the rows y - 1 and y + 1. Load both.
  // TODO 3. Which point is left of here.x, and which lane has it? And right of here.w? Two lanes of
  //         the warp find no such lane: what do they do?
  // TODO 4. Add up the four results. May a thread whose points are outside return before the
  //         shuffles? What may it not do?
}

}  // namespace

void seven_point(const float* d_in, int width, int height, int depth, float centre, float neighbour,
                 float* d_out, Scratch& /*scratch*/, cudaStream_t stream) {
  todo("06_vectors: write the kernel, then delete this line");

  if (width == 0 || height == 0 || depth == 0) return;
  const dim3 grid(ceil_div(width, 4 * kWarpSize), ceil_div(height, kRows),
                  ceil_div(depth, kPlanes));
  vectors_kernel<<<grid, dim3(kWarpSize, kRows), 0, stream>>>({d_in, width, height, depth}, centre,
                                                              neighbour, d_out);
  check_launch();
}

}  // namespace lab
