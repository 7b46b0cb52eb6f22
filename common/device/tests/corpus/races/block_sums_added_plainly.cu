// SPDX-License-Identifier: MIT
// race: one thread of each block adds its block's sum to the total.
// at: if (threadIdx.x == 0) *total += sum;
#include <cstdio>

__global__ void add(const int* items, int* total) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, items[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) *total += sum;
}

int main() {
  int h_items[256];
  for (int i = 0; i < 256; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 256 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  int* d_total;
  cudaMalloc(&d_total, sizeof(int));
  cudaMemset(d_total, 0, sizeof(int));
  add<<<4, 64>>>(d_items, d_total);
  int h_total = {};
  cudaMemcpy(&h_total, d_total, sizeof h_total, cudaMemcpyDeviceToHost);
  std::puts(h_total == 32640 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_total);
}
