// SPDX-License-Identifier: MIT
// launch_error: n / 256 is 0 for 100 items.
// at: fill<<<n / 256, 256>>>(d_items, n);
#include <cstdio>

__global__ void fill(int* items, int n) {
  if (blockIdx.x * 256 + threadIdx.x < n) items[blockIdx.x * 256 + threadIdx.x] = 1;
}

int main() {
  const int n = 100;
  int* d_items;
  cudaMalloc(&d_items, 100 * sizeof(int));
  cudaMemset(d_items, 0, 100 * sizeof(int));
  fill<<<n / 256, 256>>>(d_items, n);
  int h_items[100] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[99] == 1 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
