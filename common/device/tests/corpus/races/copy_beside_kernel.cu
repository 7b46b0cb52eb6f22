// SPDX-License-Identifier: MIT
// race: a copy in a second stream reads what the kernel may still write.
// at: items[threadIdx.x] = threadIdx.x;
// at: cudaMemcpyAsync(h_items, d_items, 64 * sizeof(int), cudaMemcpyDeviceToHost, second);
#include <cstdio>

__global__ void iota(int* items) { items[threadIdx.x] = threadIdx.x; }

int main() {
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemset(d_items, 0, 64 * sizeof(int));
  int* h_items;
  cudaMallocHost(&h_items, 64 * sizeof(int));
  cudaDeviceSynchronize();
  iota<<<1, 64, 0, first>>>(d_items);
  cudaMemcpyAsync(h_items, d_items, 64 * sizeof(int), cudaMemcpyDeviceToHost, second);
  cudaDeviceSynchronize();
  std::puts(h_items[63] == 63 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFreeHost(h_items);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}
