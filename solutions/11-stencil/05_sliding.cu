// SPDX-License-Identifier: MIT
// A thread has a column of the volume and slides along z, one plane after the other. New: it keeps
// the points below, here and above in registers, so it loads one point of the column per plane, not
// three. Limit: the four neighbours in the plane come from the L1 cache, 4 bytes at a time.
// Source: P. Micikevicius, "3D Finite Difference Computation on GPUs using CUDA", GPGPU-2, 2009.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "stencil.cuh"

namespace lab {
namespace {

constexpr int kTileWidth = 64;
constexpr int kTileHeight = 4;
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
};

// d_out (depth, height, width).
__global__ void __launch_bounds__(kTileWidth* kTileHeight)
    sliding_kernel(Volume volume, float centre, float neighbour, float* d_out) {
  const int x = blockIdx.x * kTileWidth + threadIdx.x;
  const int y = blockIdx.y * kTileHeight + threadIdx.y;
  if (x >= volume.width || y >= volume.height) return;
  const int first = blockIdx.z * kPlanes;
  const int end = min(first + kPlanes, volume.depth);

  float below = volume.at(x, y, first - 1);
  float here = volume.at(x, y, first);
  for (int z = first; z < end; ++z) {
    const float above = volume.at(x, y, z + 1);
    const float in_plane = volume.at(x - 1, y, z) + volume.at(x + 1, y, z) +
                           volume.at(x, y - 1, z) + volume.at(x, y + 1, z);
    d_out[volume.item(x, y, z)] = centre * here + neighbour * (below + above + in_plane);
    below = here;
    here = above;
  }
}

}  // namespace

void seven_point(const float* d_in, int width, int height, int depth, float centre, float neighbour,
                 float* d_out, Scratch& /*scratch*/, cudaStream_t stream) {
  if (width == 0 || height == 0 || depth == 0) return;  // a grid of 0 blocks is an error
  const dim3 grid(ceil_div(width, kTileWidth), ceil_div(height, kTileHeight),
                  ceil_div(depth, kPlanes));
  sliding_kernel<<<grid, dim3(kTileWidth, kTileHeight), 0, stream>>>({d_in, width, height, depth},
                                                                     centre, neighbour, d_out);
  check_launch();
}

}  // namespace lab
