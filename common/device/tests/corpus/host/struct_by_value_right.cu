// SPDX-License-Identifier: MIT
// right: a struct with device pointers goes to the kernel by value.
#include <cstdio>

struct Matrix {
  float* items;
  int width, height;
  __device__ float& at(int x, int y) const { return items[y * width + x]; }
};

__global__ void fill(Matrix matrix) {
  const int x = threadIdx.x, y = threadIdx.y;
  if (x < matrix.width && y < matrix.height) matrix.at(x, y) = y;
}

int main() {
  float* d_items;
  cudaMalloc(&d_items, 60 * sizeof(float));
  fill<<<1, dim3(16, 8)>>>(Matrix{d_items, 12, 5});
  float h_items[60] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[59] == 4 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
