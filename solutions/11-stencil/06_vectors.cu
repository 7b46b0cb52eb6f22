// SPDX-License-Identifier: MIT
// A thread has four neighbouring columns, a float4 of each plane. New: the points left and right
// are in the thread's own registers, or in those of the neighbouring lanes, which a shuffle brings.
// Only the first and the last lane of a warp load one. Limit: the bandwidth of the memory.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
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
  const int lane_id = threadIdx.x;
  const int x = (blockIdx.x * kWarpSize + lane_id) * 4;
  const int y = blockIdx.y * kRows + threadIdx.y;
  const int first = blockIdx.z * kPlanes;
  const int end = min(first + kPlanes, volume.depth);

  float4 below = volume.four_at(x, y, first - 1);
  float4 here = volume.four_at(x, y, first);
  for (int z = first; z < end; ++z) {
    const float4 above = volume.four_at(x, y, z + 1);
    const float4 before = volume.four_at(x, y - 1, z);
    const float4 after = volume.four_at(x, y + 1, z);
    // All lanes take part, also those whose points are outside.
    float left = __shfl_up_sync(kFullWarp, here.w, 1);
    float right = __shfl_down_sync(kFullWarp, here.x, 1);
    if (lane_id == 0) left = volume.at(x - 1, y, z);
    if (lane_id == kWarpSize - 1) right = volume.at(x + 4, y, z);

    float4 out;
    out.x = centre * here.x + neighbour * (below.x + above.x + before.x + after.x + left + here.y);
    out.y =
        centre * here.y + neighbour * (below.y + above.y + before.y + after.y + here.x + here.z);
    out.z =
        centre * here.z + neighbour * (below.z + above.z + before.z + after.z + here.y + here.w);
    out.w = centre * here.w + neighbour * (below.w + above.w + before.w + after.w + here.z + right);
    if (volume.contains(x, y, z)) {
      *reinterpret_cast<float4*>(&d_out[volume.item(x, y, z)]) = out;
    }
    below = here;
    here = above;
  }
}

}  // namespace

void seven_point(const float* d_in, int width, int height, int depth, float centre, float neighbour,
                 float* d_out, Scratch& /*scratch*/, cudaStream_t stream) {
  if (width == 0 || height == 0 || depth == 0) return;
  const dim3 grid(ceil_div(width, 4 * kWarpSize), ceil_div(height, kRows),
                  ceil_div(depth, kPlanes));
  vectors_kernel<<<grid, dim3(kWarpSize, kRows), 0, stream>>>({d_in, width, height, depth}, centre,
                                                              neighbour, d_out);
  check_launch();
}

}  // namespace lab
