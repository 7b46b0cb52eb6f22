// SPDX-License-Identifier: MIT
// race: every thread adds to one sum.
// at: *sum += items[blockIdx.x * blockDim.x + threadIdx.x];
#include <cstdio>

__global__ void add(const int* items, int* sum) {
  *sum += items[blockIdx.x * blockDim.x + threadIdx.x];
}

int main() {
  int h_items[256];
  for (int i = 0; i < 256; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 256 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  int* d_sum;
  cudaMalloc(&d_sum, sizeof(int));
  cudaMemset(d_sum, 0, sizeof(int));
  add<<<4, 64>>>(d_items, d_sum);
  int h_sum = {};
  cudaMemcpy(&h_sum, d_sum, sizeof h_sum, cudaMemcpyDeviceToHost);
  std::puts(h_sum == 32640 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_sum);
}
