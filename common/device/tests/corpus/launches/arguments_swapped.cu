// SPDX-License-Identifier: MIT
// launch_error: the numbers of blocks and of threads are swapped.
// at: fill<<<256, 4096>>>(d_items);
#include <cstdio>

__global__ void fill(int* items) { items[blockIdx.x] = 1; }

int main() {
  int* d_items;
  cudaMalloc(&d_items, 4096 * sizeof(int));
  cudaMemset(d_items, 0, 4096 * sizeof(int));
  fill<<<256, 4096>>>(d_items);
  int h_items[4096] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[255] == 1 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
