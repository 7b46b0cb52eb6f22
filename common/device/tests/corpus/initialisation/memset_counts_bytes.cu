// SPDX-License-Identifier: MIT
// uninitialized_read: cudaMemset counts bytes, and zeroes a quarter of the items.
// at: items[threadIdx.x] += 1;
#include <cstdio>

__global__ void increment(int* items) { items[threadIdx.x] += 1; }

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemset(d_items, 0, 64);
  increment<<<1, 64>>>(d_items);
  int h_items[64] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[63] == 1 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
