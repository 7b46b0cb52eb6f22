// SPDX-License-Identifier: MIT
// crash: an assertion of the kernel fails.
// at: assert(items[threadIdx.x] < 63);
#include <cassert>
#include <cstdio>

__global__ void check(const int* items) { assert(items[threadIdx.x] < 63); }

int main() {
  int h_items[64];
  for (int i = 0; i < 64; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  check<<<1, 64>>>(d_items);
  std::puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
  cudaFree(d_items);
}
