// SPDX-License-Identifier: MIT
// right: one allocation serves three arrays.
#include <cstdio>

__global__ void fill(int* keys, int* values, int* count) {
  keys[threadIdx.x] = threadIdx.x;
  values[threadIdx.x] = 2 * threadIdx.x;
  if (threadIdx.x == 0) *count = blockDim.x;
}

int main() {
  int* d_pool;
  cudaMalloc(&d_pool, 129 * sizeof(int));
  fill<<<1, 64>>>(d_pool, d_pool + 64, d_pool + 128);
  int h_pool[129] = {};
  cudaMemcpy(h_pool, d_pool, sizeof h_pool, cudaMemcpyDeviceToHost);
  std::puts(h_pool[127] == 126 && h_pool[128] == 64 ? "PASS" : "FAIL");
  cudaFree(d_pool);
}
