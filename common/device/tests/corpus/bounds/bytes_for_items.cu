// SPDX-License-Identifier: MIT
// out_of_bounds: cudaMalloc counts bytes; n items need n * sizeof(int).
// at: items[threadIdx.x] = threadIdx.x;
#include <cstdio>

__global__ void iota(int* items) { items[threadIdx.x] = threadIdx.x; }

int main() {
  const int n = 1024;
  int* d_items;
  cudaMalloc(&d_items, n);
  iota<<<1, n>>>(d_items);
  std::puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
  cudaFree(d_items);
}
