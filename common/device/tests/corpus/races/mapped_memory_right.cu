// SPDX-License-Identifier: MIT
// right: a kernel writes pinned memory of the host, and the host waits before it reads.
#include <cstdio>

__global__ void iota(int* items) { items[threadIdx.x] = threadIdx.x; }

int main() {
  int* h_items;
  cudaHostAlloc(&h_items, 64 * sizeof(int), cudaHostAllocMapped);
  int* d_items;
  cudaHostGetDevicePointer(&d_items, h_items, 0);
  iota<<<1, 64>>>(d_items);
  cudaDeviceSynchronize();
  std::puts(h_items[63] == 63 ? "PASS" : "FAIL");
  cudaFreeHost(h_items);
}
