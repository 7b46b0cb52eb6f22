// SPDX-License-Identifier: MIT
// out_of_bounds: the last block has more threads than items are left, and none asks.
// at: items[i] *= 2;
#include <cstdio>

__global__ void twice(int* items) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  items[i] *= 2;
}

int main() {
  int h_items[1000];
  for (int i = 0; i < 1000; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 1000 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  twice<<<4, 256>>>(d_items);
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[999] == 1998 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
