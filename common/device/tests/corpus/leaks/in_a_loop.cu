// SPDX-License-Identifier: MIT
// leak: each round allocates, and only the last one is freed.
// at: cudaMalloc(&d_sum, sizeof(int));
#include <cstdio>

__global__ void add(const int* items, int* sum) { atomicAdd(sum, items[threadIdx.x]); }

int main() {
  int h_items[64];
  for (int i = 0; i < 64; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  int* d_sum = nullptr;
  int h_sum = 0;
  for (int round = 0; round < 4; ++round) {
    cudaMalloc(&d_sum, sizeof(int));
    cudaMemset(d_sum, 0, sizeof(int));
    add<<<1, 64>>>(d_items, d_sum);
    cudaMemcpy(&h_sum, d_sum, sizeof h_sum, cudaMemcpyDeviceToHost);
  }
  std::puts(h_sum == 2016 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_sum);
}
