// SPDX-License-Identifier: MIT
// race: block 0 sets the counter to zero while other blocks may count already.
// at: if (blockIdx.x == 0 && threadIdx.x == 0) *count = 0;
// at: atomicAdd(count, 1);
#include <cstdio>

__global__ void count_threads(int* count) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *count = 0;
  __syncthreads();
  atomicAdd(count, 1);
}

int main() {
  int* d_count;
  cudaMalloc(&d_count, sizeof(int));
  cudaMemset(d_count, 0, sizeof(int));
  count_threads<<<4, 64>>>(d_count);
  int h_count = {};
  cudaMemcpy(&h_count, d_count, sizeof h_count, cudaMemcpyDeviceToHost);
  std::puts(h_count == 256 ? "PASS" : "FAIL");
  cudaFree(d_count);
}
