// SPDX-License-Identifier: MIT
// A thread has a column of the volume and slides along z, one plane after the other. It keeps the
// points below, here and above in registers.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
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
  // TODO 1. Which column is this thread's, and which planes are the block's? The last blocks may
  //         have fewer. Which threads have nothing to do?
  // TODO 2. Before the first plane, which two points of the column must be in registers?
  // TODO 3. In each plane, which point of the column must be loaded? Where do the other neighbours
  //         come from?
  // TODO 4. At the end of a plane, which registers take over from which?
}

}  // namespace

void seven_point(const float* d_in, int width, int height, int depth, float centre, float neighbour,
                 float* d_out, Scratch& /*scratch*/, cudaStream_t stream) {
  todo("05_sliding: write the kernel, then delete this line");

  if (width == 0 || height == 0 || depth == 0) return;  // a grid of 0 blocks is an error
  const dim3 grid(ceil_div(width, kTileWidth), ceil_div(height, kTileHeight),
                  ceil_div(depth, kPlanes));
  sliding_kernel<<<grid, dim3(kTileWidth, kTileHeight), 0, stream>>>({d_in, width, height, depth},
                                                                     centre, neighbour, d_out);
  check_launch();
}

}  // namespace lab
