// SPDX-License-Identifier: MIT
// right: a kernel reads only what was written, of an allocation that was made with room to grow.
#include <cstdio>

__global__ void append(int* items, int* count) {
  if (threadIdx.x % 3 == 0) items[atomicAdd(count, 1)] = threadIdx.x;
}

__global__ void sum(const int* items, const int* count, int* out) {
  int total = 0;
  for (int i = 0; i < *count; ++i) total += items[i];
  *out = total;
}

int main() {
  int* d_items;
  cudaMalloc(&d_items, 1000 * sizeof(int));
  int* d_count;
  cudaMalloc(&d_count, sizeof(int));
  cudaMemset(d_count, 0, sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  append<<<1, 64>>>(d_items, d_count);
  sum<<<1, 1>>>(d_items, d_count, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 693 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_count);
  cudaFree(d_out);
}
