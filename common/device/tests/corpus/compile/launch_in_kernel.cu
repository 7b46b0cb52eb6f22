// SPDX-License-Identifier: MIT
// compile_error: a launch in a kernel needs separate compilation (-rdc=true).
// at: if (threadIdx.x == 0) fill<<<1, 64>>>(items);
// missed: run builds every program as nvcc -rdc=true does.
#include <cstdio>

__global__ void fill(int* items) { items[threadIdx.x] = 7; }

__global__ void parent(int* items) {
  if (threadIdx.x == 0) fill<<<1, 64>>>(items);
}

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemset(d_items, 0, 64 * sizeof(int));
  parent<<<1, 1>>>(d_items);
  int h_items[64] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[0] == 7 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
