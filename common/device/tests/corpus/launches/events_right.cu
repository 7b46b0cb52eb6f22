// SPDX-License-Identifier: MIT
// right: the time between two recorded events.
#include <cstdio>

__global__ void fill(int* items) { items[threadIdx.x] = 1; }

int main() {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaEventRecord(begin);
  fill<<<1, 64>>>(d_items);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float milliseconds = -1;
  cudaEventElapsedTime(&milliseconds, begin, end);
  std::puts(milliseconds >= 0 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
}
