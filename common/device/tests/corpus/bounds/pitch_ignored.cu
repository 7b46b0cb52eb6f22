// SPDX-License-Identifier: MIT
// out_of_bounds: the pitch counts bytes, and is used as a number of items.
// at: image[y * pitch + x] = 1;
#include <cstdio>

__global__ void mark(int* image, size_t pitch, int width, int height) {
  const int x = threadIdx.x, y = threadIdx.y;
  if (x < width && y < height) image[y * pitch + x] = 1;
}

int main() {
  int* d_image;
  size_t pitch;
  cudaMallocPitch(&d_image, &pitch, 20 * sizeof(int), 20);
  mark<<<1, dim3(32, 32)>>>(d_image, pitch, 20, 20);
  std::puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
  cudaFree(d_image);
}
