// SPDX-License-Identifier: MIT
// launch_error: the second cudaFree gets memory that is free already.
// at: cudaFree(d_items);  // again
#include <cstdio>

__global__ void fill(int* items) { items[threadIdx.x] = 1; }

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  fill<<<1, 64>>>(d_items);
  int h_items[64] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  cudaFree(d_items);
  cudaFree(d_items);  // again
  std::puts(h_items[63] == 1 ? "PASS" : "FAIL");
}
