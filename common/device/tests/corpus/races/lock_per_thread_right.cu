// SPDX-License-Identifier: MIT
// right: every lane of a warp takes the lock in its turn; lanes have their own progress since
// Volta.
#include <cstdio>

__device__ int lock;

__global__ void add(volatile int* total) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence();
      *total = *total + 1;
      __threadfence();
      atomicExch(&lock, 0);
      done = true;
    }
  }
}

int main() {
  int* d_total;
  cudaMalloc(&d_total, sizeof(int));
  cudaMemset(d_total, 0, sizeof(int));
  add<<<2, 32>>>(d_total);
  int h_total = {};
  cudaMemcpy(&h_total, d_total, sizeof h_total, cudaMemcpyDeviceToHost);
  std::puts(h_total == 64 ? "PASS" : "FAIL");
  cudaFree(d_total);
}
