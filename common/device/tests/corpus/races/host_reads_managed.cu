// SPDX-License-Identifier: MIT
// race: the host reads managed memory without waiting for the kernel.
// at: const int last = items[63];
#include <cstdio>

__global__ void iota(int* items) { items[threadIdx.x] = threadIdx.x; }

int main() {
  int* items;
  cudaMallocManaged(&items, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) items[i] = 0;
  iota<<<1, 64>>>(items);
  const int last = items[63];
  cudaDeviceSynchronize();
  std::puts(last == 63 ? "PASS" : "FAIL");
  cudaFree(items);
}
