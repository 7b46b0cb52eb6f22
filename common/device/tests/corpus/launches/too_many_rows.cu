// SPDX-License-Identifier: MIT
// launch_error: a grid has at most 65535 blocks in y.
// at: fill<<<dim3(1, 100000), 32>>>(d_items);
#include <cstdio>

__global__ void fill(char* items) {
  if (threadIdx.x == 0) items[blockIdx.y] = 1;
}

int main() {
  char* d_items;
  cudaMalloc(&d_items, 100000 * sizeof(char));
  cudaMemset(d_items, 0, 100000 * sizeof(char));
  fill<<<dim3(1, 100000), 32>>>(d_items);
  std::puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
  cudaFree(d_items);
}
