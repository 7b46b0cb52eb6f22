// SPDX-License-Identifier: MIT
// Three-dimensional grids and blocks, cudaMalloc3D, and cudaMemcpy3D with a sub-volume.
#include <vector>

#include "check.h"

__global__ void fill(cudaPitchedPtr volume, cudaExtent extent, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= width || y >= extent.height || z >= extent.depth) return;
  char* slice = (char*)volume.ptr + z * volume.pitch * extent.height;
  int* row = (int*)(slice + y * volume.pitch);
  row[x] = x + 100 * y + 10000 * z;
}

int main() {
  const int width = 10, height = 7, depth = 5;
  cudaExtent extent = make_cudaExtent(width * sizeof(int), height, depth);
  cudaPitchedPtr d_volume;
  CHECK_CUDA(cudaMalloc3D(&d_volume, extent));
  CHECK_CUDA(cudaMemset3D(d_volume, 0, extent));
  const dim3 block(4, 3, 2);
  const dim3 grid{(width + block.x - 1) / block.x, (height + block.y - 1) / block.y,
                  (depth + block.z - 1) / block.z};
  fill<<<grid, block>>>(d_volume, extent, width);
  CHECK_CUDA(cudaGetLastError());
  std::vector<int> h_volume(width * height * depth, -1);
  cudaMemcpy3DParms copy = {0};
  copy.srcPtr = d_volume;
  copy.dstPtr = make_cudaPitchedPtr(h_volume.data(), width * sizeof(int), width, height);
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK_CUDA(cudaMemcpy3D(&copy));
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        EXPECT(h_volume[(z * height + y) * width + x] == x + 100 * y + 10000 * z);

  std::vector<int> part(2 * 2 * 2);
  copy.srcPos = make_cudaPos(3 * sizeof(int), 4, 2);
  copy.dstPtr = make_cudaPitchedPtr(part.data(), 2 * sizeof(int), 2, 2);
  copy.extent = make_cudaExtent(2 * sizeof(int), 2, 2);
  CHECK_CUDA(cudaMemcpy3D(&copy));
  EXPECT(part[0] == 20403 && part[1] == 20404 && part[2] == 20503 && part[7] == 30504);
  CHECK_CUDA(cudaFree(d_volume.ptr));
  return 0;
}
