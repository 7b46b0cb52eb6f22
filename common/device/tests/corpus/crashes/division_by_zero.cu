// SPDX-License-Identifier: MIT
// crash: item 0 is a divisor. A GPU goes on with a meaningless quotient.
// at: items[threadIdx.x] = 100 / items[threadIdx.x];
#include <cstdio>

__global__ void reciprocals(int* items) { items[threadIdx.x] = 100 / items[threadIdx.x]; }

int main() {
  int h_items[64];
  for (int i = 0; i < 64; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  reciprocals<<<1, 64>>>(d_items);
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[10] == 10 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
