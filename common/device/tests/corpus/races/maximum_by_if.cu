// SPDX-License-Identifier: MIT
// race: test and store are two steps; another thread may come between.
// at: if (items[i] > *maximum) *maximum = items[i];
#include <cstdio>

__global__ void find_maximum(const int* items, int* maximum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (items[i] > *maximum) *maximum = items[i];
}

int main() {
  int h_items[256];
  for (int i = 0; i < 256; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 256 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  int* d_maximum;
  cudaMalloc(&d_maximum, sizeof(int));
  cudaMemset(d_maximum, 0, sizeof(int));
  find_maximum<<<4, 64>>>(d_items, d_maximum);
  int h_maximum = {};
  cudaMemcpy(&h_maximum, d_maximum, sizeof h_maximum, cudaMemcpyDeviceToHost);
  std::puts(h_maximum == 255 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_maximum);
}
