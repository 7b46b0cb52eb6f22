// SPDX-License-Identifier: MIT
// right: a lock with a fence on either side of what it protects.
#include <cstdio>

__device__ int lock;

__global__ void add(volatile int* total) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&lock, 0, 1) != 0) {
  }
  __threadfence();
  *total = *total + 1;
  __threadfence();
  atomicExch(&lock, 0);
}

int main() {
  int* d_total;
  cudaMalloc(&d_total, sizeof(int));
  cudaMemset(d_total, 0, sizeof(int));
  add<<<8, 32>>>(d_total);
  int h_total = {};
  cudaMemcpy(&h_total, d_total, sizeof h_total, cudaMemcpyDeviceToHost);
  std::puts(h_total == 8 ? "PASS" : "FAIL");
  cudaFree(d_total);
}
