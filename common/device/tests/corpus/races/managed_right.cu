// SPDX-License-Identifier: MIT
// right: the host uses managed memory before the launch and after the wait.
#include <cstdio>

__global__ void twice(int* items) { items[threadIdx.x] *= 2; }

int main() {
  int* items;
  cudaMallocManaged(&items, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) items[i] = i;
  twice<<<1, 64>>>(items);
  cudaDeviceSynchronize();
  items[0] = 5;
  twice<<<1, 64>>>(items);
  cudaDeviceSynchronize();
  std::puts(items[0] == 10 && items[63] == 252 ? "PASS" : "FAIL");
  cudaFree(items);
}
