// SPDX-License-Identifier: MIT
// out_of_bounds: `||` where both coordinates must be inside.
// at: image[y * width + x] = 1;
#include <cstdio>

__global__ void mark(int* image, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width || y < height) image[y * width + x] = 1;
}

int main() {
  int* d_image;
  cudaMalloc(&d_image, 200 * sizeof(int));
  cudaMemset(d_image, 0, 200 * sizeof(int));
  mark<<<dim3(2, 2), dim3(16, 16)>>>(d_image, 20, 10);
  int h_image[200] = {};
  cudaMemcpy(h_image, d_image, sizeof h_image, cudaMemcpyDeviceToHost);
  std::puts(h_image[199] == 1 ? "PASS" : "FAIL");
  cudaFree(d_image);
}
