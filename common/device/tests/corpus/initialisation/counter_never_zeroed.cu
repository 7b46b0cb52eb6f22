// SPDX-License-Identifier: MIT
// uninitialized_read: the counter of an atomicAdd has no first value.
// at: if (items[threadIdx.x] % 2 == 0) atomicAdd(count, 1);
#include <cstdio>

__global__ void count_even(const int* items, int* count) {
  if (items[threadIdx.x] % 2 == 0) atomicAdd(count, 1);
}

int main() {
  int h_items[64];
  for (int i = 0; i < 64; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  int* d_count;
  cudaMalloc(&d_count, sizeof(int));
  count_even<<<1, 64>>>(d_items, d_count);
  int h_count = {};
  cudaMemcpy(&h_count, d_count, sizeof h_count, cudaMemcpyDeviceToHost);
  std::puts(h_count == 32 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_count);
}
