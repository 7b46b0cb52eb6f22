// SPDX-License-Identifier: MIT
// launch_error: 64 x 64 threads are 4096.
// at: fill<<<1, dim3(64, 64)>>>(d_items);
#include <cstdio>

__global__ void fill(int* items) { items[64 * threadIdx.y + threadIdx.x] = 1; }

int main() {
  int* d_items;
  cudaMalloc(&d_items, 4096 * sizeof(int));
  cudaMemset(d_items, 0, 4096 * sizeof(int));
  fill<<<1, dim3(64, 64)>>>(d_items);
  int h_items[4096] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[4095] == 1 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
