// SPDX-License-Identifier: MIT
// right: pitched memory, addressed by bytes, and copied by cudaMemcpy2D.
#include <cstdio>

__global__ void fill(char* image, size_t pitch) {
  reinterpret_cast<int*>(image + threadIdx.y * pitch)[threadIdx.x] = 20 * threadIdx.y + threadIdx.x;
}

int main() {
  char* d_image;
  size_t pitch;
  cudaMallocPitch(&d_image, &pitch, 20 * sizeof(int), 10);
  fill<<<1, dim3(20, 10)>>>(d_image, pitch);
  int h_image[10][20];
  cudaMemcpy2D(h_image, sizeof h_image[0], d_image, pitch, sizeof h_image[0], 10,
               cudaMemcpyDeviceToHost);
  std::puts(h_image[9][19] == 199 ? "PASS" : "FAIL");
  cudaFree(d_image);
}
