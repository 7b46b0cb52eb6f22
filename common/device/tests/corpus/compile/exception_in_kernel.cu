// SPDX-License-Identifier: MIT
// compile_error: device code cannot throw.
// at: if (items[threadIdx.x] < 0) throw 1;
#include <cstdio>

__global__ void check(const int* items) {
  if (items[threadIdx.x] < 0) throw 1;
}

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
