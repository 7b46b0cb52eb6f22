// SPDX-License-Identifier: MIT
// Two steps in one pass over memory: the volume after the first step exists in registers and shared
// memory only. New: threads around the tile repeat the first step of other blocks: two lanes of 32
// and two rows of 8. Rows of the first step are exchanged in shared memory. Limit: this repeated
// work, and the barriers. Source: A. Nguyen et al., "3.5-D Blocking Optimization for Stencil
// Computations on Modern CPUs and GPUs", SC 2010.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
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
  const int lane_id = threadIdx.x;
  const int row = threadIdx.y;
  const int x = (blockIdx.x * (kWarpSize - 2) + lane_id - 1) * 4;
  const int y = blockIdx.y * (kRows - 2) + row - 1;
  const bool is_inner_lane = 0 < lane_id && lane_id < kWarpSize - 1;
  const bool is_inner_row = 0 < row && row < kRows - 1;
  const int first = blockIdx.z * kPlanes;
  const int end = min(first + kPlanes, volume.depth);

  float4 below = volume.four_at(x, y, first - 2);
  float4 here = volume.four_at(x, y, first - 1);
  float4 mid_below = make_float4(0, 0, 0, 0);  // after the first step, at z - 2
  float4 mid_here = make_float4(0, 0, 0, 0);   // and at z - 1
  for (int z = first - 1; z <= end; ++z) {
    // The first step at z. Points outside stay 0.
    const float4 above = volume.four_at(x, y, z + 1);
    float4 mid_above =
        step(below, here, above, volume.four_at(x, y - 1, z), volume.four_at(x, y + 1, z));
    if (!volume.contains(x, y, z)) mid_above = make_float4(0, 0, 0, 0);
    mid_plane[row][lane_id] = mid_here;
    __syncthreads();  // the plane is complete

    // The second step at z - 1, as the first is done at z - 2, z - 1 and z.
    if (is_inner_row && z > first) {
      const float4 out = step(mid_below, mid_here, mid_above, mid_plane[row - 1][lane_id],
                              mid_plane[row + 1][lane_id]);
      if (is_inner_lane && volume.contains(x, y, z - 1)) {
        *reinterpret_cast<float4*>(&d_out[volume.item(x, y, z - 1)]) = out;
      }
    }
    __syncthreads();  // the plane is read, before the next one takes its place
    below = here;
    here = above;
    mid_below = mid_here;
    mid_here = mid_above;
  }
}

}  // namespace

void seven_point_twice(const float* d_in, int width, int height, int depth, float centre,
                       float neighbour, float* d_out, Scratch& /*scratch*/, cudaStream_t stream) {
  if (width == 0 || height == 0 || depth == 0) return;
  const dim3 grid(ceil_div(width, 4 * (kWarpSize - 2)), ceil_div(height, kRows - 2),
                  ceil_div(depth, kPlanes));
  temporal_kernel<<<grid, dim3(kWarpSize, kRows), 0, stream>>>({d_in, width, height, depth},
                                                               {centre, neighbour}, d_out);
  check_launch();
}

}  // namespace lab
