// SPDX-License-Identifier: MIT
// deadlock: a look-back by blockIdx, whose predecessor may not be running yet.
// at: while (flags[blockIdx.x + 1] == 0) {
#include <cstdio>

__global__ void prefix(volatile int* values, volatile int* flags) {
  if (threadIdx.x != 0) return;
  int before = 0;
  if (blockIdx.x + 1 < gridDim.x) {
    while (flags[blockIdx.x + 1] == 0) {
    }
    __threadfence();
    before = values[blockIdx.x + 1];
  }
  values[blockIdx.x] = before + 1;
  __threadfence();
  flags[blockIdx.x] = 1;
}

int main() {
  int* d_values;
  cudaMalloc(&d_values, 20000 * sizeof(int));
  cudaMemset(d_values, 0, 20000 * sizeof(int));
  int* d_flags;
  cudaMalloc(&d_flags, 20000 * sizeof(int));
  cudaMemset(d_flags, 0, 20000 * sizeof(int));
  prefix<<<20000, 1024>>>(d_values, d_flags);
  std::puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
  cudaFree(d_values);
  cudaFree(d_flags);
}
