// SPDX-License-Identifier: MIT
// uninitialized_read: a kernel writes every second item, and the next one reads all.
// at: sum += items[i];
#include <cstdio>

__global__ void fill(int* items) { items[2 * threadIdx.x] = threadIdx.x; }

__global__ void add(const int* items, int* out) {
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += items[i];
  out[0] = sum;
}

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  fill<<<1, 32>>>(d_items);
  add<<<1, 1>>>(d_items, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 496 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_out);
}
