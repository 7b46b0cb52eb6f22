// SPDX-License-Identifier: MIT
// right: every thread that finds something stores the same `true`.
#include <cstdio>

__global__ void find(const int* items, int wanted, bool* found) {
  if (items[blockIdx.x * blockDim.x + threadIdx.x] % wanted == 0) *found = true;
}

int main() {
  int h_items[256];
  for (int i = 0; i < 256; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 256 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  bool* d_found;
  cudaMalloc(&d_found, sizeof(bool));
  cudaMemset(d_found, 0, sizeof(bool));
  find<<<4, 64>>>(d_items, 7, d_found);
  bool h_found = {};
  cudaMemcpy(&h_found, d_found, sizeof h_found, cudaMemcpyDeviceToHost);
  std::puts(h_found ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_found);
}
