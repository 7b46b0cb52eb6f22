// SPDX-License-Identifier: MIT
// Two steps in one pass over memory: the volume after the first step exists in registers and shared
// memory only.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "stencil.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kRows = 8;     // of a block's threads; a warp has one, of 128 points
constexpr int kPlanes = 64;  // through which a block slides

struct Volume {
  const float* d_in;  // (depth, height, width)
  int width, height, depth;

  __device__ bool contains(int x, int y, int z) const {
    return 0 <= x && x < width && 0 <= y && y < height && 0 <= z && z < depth;
  }
  __device__ int item(int x, int y, int z) const { return (z * height + y) * width + x; }
  // The points from x to x + 3. As x and the width are multiples of 4, all are inside or none is.
  __device__ float4 four_at(int x, int y, int z) const {
    if (!contains(x, y, z)) return make_float4(0, 0, 0, 0);
    return *reinterpret_cast<const float4*>(&d_in[item(x, y, z)]);
  }
};

// One step of a thread's four points. The points left of lane 0 and right of lane 31 are missing,
// so the first result of lane 0 and the last one of lane 31 are wrong. All lanes must call.
struct Step {
  float centre, neighbour;

  __device__ float4 operator()(float4 below, float4 here, float4 above, float4 before,
                               float4 after) const {
    const float left = __shfl_up_sync(kFullWarp, here.w, 1);
    const float right = __shfl_down_sync(kFullWarp, here.x, 1);
    return make_float4(
        centre * here.x + neighbour * (below.x + above.x + before.x + after.x + left + here.y),
        centre * here.y + neighbour * (below.y + above.y + before.y + after.y + here.x + here.z),
        centre * here.z + neighbour * (below.z + above.z + before.z + after.z + here.y + here.w),
        centre * here.w + neighbour * (below.w + above.w + before.w + after.w + here.z + right));
  }
};

// d_out (depth, height, width).
__global__ void __launch_bounds__(kWarpSize* kRows)
    temporal_kernel(Volume volume, Step step, float* d_out) {
  __shared__ float4 mid_plane[kRows][kWarpSize];  // after the first step, at z - 1
  // TODO 1. Which four columns are this thread's? Blocks overlap: the threads around the tile
  //         repeat the first step of other blocks. Which threads write?
  // TODO 2. In the round of plane z, the first step is done at z. At which plane can the second
  //         step be done? Which points of both must be in registers?
  // TODO 3. With which plane must the rounds begin, and with which end?
  // TODO 4. What is the result of the first step at a point outside? All lanes must call step().
  // TODO 5. The second step needs the rows before and after, which other warps have. Which rows of
  //         threads have no such row? Where must all threads meet in each round?
}

}  // namespace

void seven_point_twice(const float* d_in, int width, int height, int depth, float centre,
                       float neighbour, float* d_out, Scratch& /*scratch*/, cudaStream_t stream) {
  todo("07_temporal: write the kernel, then delete this line");

  if (width == 0 || height == 0 || depth == 0) return;
  const dim3 grid(ceil_div(width, 4 * (kWarpSize - 2)), ceil_div(height, kRows - 2),
                  ceil_div(depth, kPlanes));
  temporal_kernel<<<grid, dim3(kWarpSize, kRows), 0, stream>>>({d_in, width, height, depth},
                                                               {centre, neighbour}, d_out);
  check_launch();
}

}  // namespace lab
