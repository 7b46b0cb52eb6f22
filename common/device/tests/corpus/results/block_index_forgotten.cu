// SPDX-License-Identifier: MIT
// wrong_result: every block works on the first 64 items; the values agree, so no order matters.
#include <cstdio>

__global__ void iota(int* items) {
  const int i = threadIdx.x;
  items[i] = i;
}

int main() {
  int* d_items;
  cudaMalloc(&d_items, 256 * sizeof(int));
  cudaMemset(d_items, 0, 256 * sizeof(int));
  iota<<<4, 64>>>(d_items);
  int h_items[256] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[255] == 255 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
