// SPDX-License-Identifier: MIT
// deadlock: the stride is a quotient that is 0 for one block.
// at: for (int i = threadIdx.x; i < n; i += stride)
// or: timeout
#include <cstdio>

__global__ void fill(int* items, int n) {
  const int stride = gridDim.x / 2;
  for (int i = threadIdx.x; i < n; i += stride) items[i] = i;
}

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemset(d_items, 0, 64 * sizeof(int));
  fill<<<1, 32>>>(d_items, 64);
  int h_items[64] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[63] == 63 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
