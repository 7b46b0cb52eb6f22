// SPDX-License-Identifier: MIT
// compile_error: std::sort is a function of the host.
// at: if (threadIdx.x == 0) std::sort(items, items + 64);
#include <algorithm>
#include <cstdio>

__global__ void sort(int* items) {
  if (threadIdx.x == 0) std::sort(items, items + 64);
}

int main() {
  int h_items[64];
  for (int i = 0; i < 64; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  sort<<<1, 1>>>(d_items);
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[10] == 10 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
