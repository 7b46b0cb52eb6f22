// SPDX-License-Identifier: MIT
// compile_error: a __constant__ variable's initial value must be a constant.
// at: __constant__ int limit = read_limit();
#include <cstdio>

int read_limit() { return 10; }

__constant__ int limit = read_limit();

__global__ void clamp(int* items) { items[threadIdx.x] = min(items[threadIdx.x], limit); }

int main() {
  int h_items[64];
  for (int i = 0; i < 64; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  clamp<<<1, 64>>>(d_items);
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[63] == 10 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
