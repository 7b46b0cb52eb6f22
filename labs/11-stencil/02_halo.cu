// SPDX-License-Identifier: MIT
// A block loads its tile and the halo, kRadius points on either side, into shared memory once. A
// thread has eight points of the tile.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "stencil.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kPointsPerThread = 8;
constexpr int kTile = kThreadsPerBlock * kPointsPerThread;
constexpr int kTileAndHalo = kTile + 2 * kRadius;

__constant__ float weights[kTaps];

// d_in (num_points), d_out (num_points).
__global__ void halo_kernel(const float* d_in, int num_points, float* d_out) {
  __shared__ float tile[kTileAndHalo];
  // TODO 1. Which point is the first that the block computes, and which one belongs into tile[0]?
  //         There are more places than threads. Let each thread fill every kThreadsPerBlock-th
  //         place. Why not eight neighbouring ones?
  // TODO 2. What belongs into a place whose point is outside?
  // TODO 3. A thread reads what others have loaded. What must come between?
  // TODO 4. Where in the tile are the nine points that the block's i-th point needs? Which points
  //         may you not write?
}

}  // namespace

void filter_line(const float* d_in, int num_points, const float* d_weights, float* d_out,
                 Scratch& /*scratch*/, cudaStream_t stream) {
  todo("02_halo: write the kernel, then delete this line");

  if (num_points == 0) return;
  check(cudaMemcpyToSymbolAsync(weights, d_weights, sizeof weights, 0, cudaMemcpyDeviceToDevice,
                                stream));
  const int num_blocks = ceil_div(num_points, kTile);
  halo_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_points, d_out);
  check_launch();
}

}  // namespace lab
