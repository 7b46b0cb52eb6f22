// SPDX-License-Identifier: MIT
// launch_error: cudaFree needs the address that cudaMalloc gave, and not one behind it.
// at: cudaFree(d_items);
#include <cstdio>

__global__ void fill(int* items) { items[threadIdx.x] = 1; }

int main() {
  int* d_items;
  cudaMalloc(&d_items, 128 * sizeof(int));
  d_items += 64;
  fill<<<1, 64>>>(d_items);
  int h_items[64] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  cudaFree(d_items);
  std::puts(h_items[63] == 1 ? "PASS" : "FAIL");
}
