// SPDX-License-Identifier: MIT
// crash: the kernel ends itself by __trap() when it meets a negative item.
// at: if (items[threadIdx.x] < 0) __trap();
#include <cstdio>

__global__ void check(const int* items) {
  if (items[threadIdx.x] < 0) __trap();
}

int main() {
  int h_items[64] = {};
  h_items[40] = -1;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  check<<<1, 64>>>(d_items);
  std::puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
  cudaFree(d_items);
}
