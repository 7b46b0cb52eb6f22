// SPDX-License-Identifier: MIT
// launch_error: the kernel was compiled for blocks of at most 128 threads.
// at: fill<<<1, 256>>>(d_items);
#include <cstdio>

__global__ void __launch_bounds__(128) fill(int* items) { items[threadIdx.x] = 1; }

int main() {
  int* d_items;
  cudaMalloc(&d_items, 256 * sizeof(int));
  cudaMemset(d_items, 0, 256 * sizeof(int));
  fill<<<1, 256>>>(d_items);
  int h_items[256] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[255] == 1 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
