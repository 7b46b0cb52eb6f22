// SPDX-License-Identifier: MIT
// compile_error: a static shared array's length must be a constant.
// at: __shared__ int tile[n];
#include <cstdio>

__global__ void reverse(int* items, int n) {
  __shared__ int tile[n];
  tile[threadIdx.x] = items[threadIdx.x];
  __syncthreads();
  items[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

int main() {
  int h_items[64];
  for (int i = 0; i < 64; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  reverse<<<1, 64>>>(d_items, 64);
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[0] == 63 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
