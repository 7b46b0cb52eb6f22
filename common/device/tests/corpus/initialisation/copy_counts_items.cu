// SPDX-License-Identifier: MIT
// uninitialized_read: cudaMemcpy counts bytes, and brings a quarter of the items.
// at: items[threadIdx.x] *= 2;
#include <cstdio>

__global__ void twice(int* items) { items[threadIdx.x] *= 2; }

int main() {
  int h_in[64];
  for (int i = 0; i < 64; ++i) h_in[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_in, 64, cudaMemcpyHostToDevice);
  twice<<<1, 64>>>(d_items);
  int h_items[64] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[63] == 126 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
