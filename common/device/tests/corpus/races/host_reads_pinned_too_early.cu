// SPDX-License-Identifier: MIT
// race: the host reads the result of an asynchronous copy that it did not wait for.
// at: const int last = h_items[63];
#include <cstdio>

__global__ void iota(int* items) { items[threadIdx.x] = threadIdx.x; }

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  int* h_items;
  cudaMallocHost(&h_items, 64 * sizeof(int));
  h_items[63] = 0;
  iota<<<1, 64>>>(d_items);
  cudaMemcpyAsync(h_items, d_items, 64 * sizeof(int), cudaMemcpyDeviceToHost);
  const int last = h_items[63];
  cudaDeviceSynchronize();
  std::puts(last == 63 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFreeHost(h_items);
}
