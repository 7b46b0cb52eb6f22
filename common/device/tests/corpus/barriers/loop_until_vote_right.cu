// SPDX-License-Identifier: MIT
// right: the block leaves a loop by a vote that is a barrier.
#include <cstdio>

__global__ void halve(int* items) {
  const int t = threadIdx.x;
  int value = items[t];
  while (__syncthreads_or(value > 1)) value /= 2;
  items[t] = value;
}

int main() {
  int h_items[64];
  for (int i = 0; i < 64; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  halve<<<1, 64>>>(d_items);
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[63] == 1 && h_items[0] == 0 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
