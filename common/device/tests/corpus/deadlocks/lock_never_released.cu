// SPDX-License-Identifier: MIT
// deadlock: the first thread that takes the lock keeps it.
// at: while (atomicCAS(&lock, 0, 1) != 0) {
#include <cstdio>

__device__ int lock;

__global__ void add(int* total) {
  while (atomicCAS(&lock, 0, 1) != 0) {
  }
  atomicAdd(total, 1);
}

int main() {
  int* d_total;
  cudaMalloc(&d_total, sizeof(int));
  cudaMemset(d_total, 0, sizeof(int));
  add<<<2, 1>>>(d_total);
  int h_total = {};
  cudaMemcpy(&h_total, d_total, sizeof h_total, cudaMemcpyDeviceToHost);
  std::puts(h_total == 2 ? "PASS" : "FAIL");
  cudaFree(d_total);
}
