// SPDX-License-Identifier: MIT
// compile_error: a kernel must return void.
// at: __global__ int sum(const int* items) {
#include <cstdio>

__global__ int sum(const int* items) { return items[0] + items[1]; }

int main() {
  int* d_items;
  cudaMalloc(&d_items, 2 * sizeof(int));
  cudaMemset(d_items, 0, 2 * sizeof(int));
  sum<<<1, 1>>>(d_items);
  cudaDeviceSynchronize();
  std::puts("PASS");
  cudaFree(d_items);
}
