// SPDX-License-Identifier: MIT
// leak: managed memory is never freed.
// at: cudaMallocManaged(&items, 64 * sizeof(int));
#include <cstdio>

__global__ void iota(int* items) { items[threadIdx.x] = threadIdx.x; }

int main() {
  int* items;
  cudaMallocManaged(&items, 64 * sizeof(int));
  iota<<<1, 64>>>(items);
  cudaDeviceSynchronize();
  std::puts(items[63] == 63 ? "PASS" : "FAIL");
}
