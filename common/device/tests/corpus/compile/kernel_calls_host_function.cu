// SPDX-License-Identifier: MIT
// compile_error: a kernel calls a function of the host.
// at: items[threadIdx.x] = square(threadIdx.x);
#include <cstdio>

int square(int x) { return x * x; }

__global__ void squares(int* items) { items[threadIdx.x] = square(threadIdx.x); }

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  squares<<<1, 64>>>(d_items);
  int h_items[64] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[7] == 49 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
