// SPDX-License-Identifier: MIT
// launch_error: a block has at most 1024 threads.
// at: fill<<<1, 2048>>>(d_items);
#include <cstdio>

__global__ void fill(int* items) { items[threadIdx.x] = 1; }

int main() {
  int* d_items;
  cudaMalloc(&d_items, 2048 * sizeof(int));
  cudaMemset(d_items, 0, 2048 * sizeof(int));
  fill<<<1, 2048>>>(d_items);
  int h_items[2048] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[2047] == 1 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
