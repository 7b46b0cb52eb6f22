// SPDX-License-Identifier: MIT
// leak: the second allocation takes the place of the first one's address.
// at: cudaMalloc(&d_items, 32 * sizeof(int));
#include <cstdio>

__global__ void iota(int* items) { items[threadIdx.x] = threadIdx.x; }

int main() {
  int* d_items;
  cudaMalloc(&d_items, 32 * sizeof(int));
  iota<<<1, 32>>>(d_items);
  cudaMalloc(&d_items, 64 * sizeof(int));
  iota<<<1, 64>>>(d_items);
  int h_items[64] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[63] == 63 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
