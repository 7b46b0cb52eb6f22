// SPDX-License-Identifier: MIT
// race: cudaFreeAsync in one stream, and a kernel that uses the memory in another.
// at: items[threadIdx.x] = threadIdx.x;
// at: cudaFreeAsync(d_items, second);
#include <cstdio>

__global__ void iota(int* items) { items[threadIdx.x] = threadIdx.x; }

int main() {
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  int* d_items;
  cudaMallocAsync(&d_items, 64 * sizeof(int), first);
  iota<<<1, 64, 0, first>>>(d_items);
  cudaFreeAsync(d_items, second);
  std::puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}
