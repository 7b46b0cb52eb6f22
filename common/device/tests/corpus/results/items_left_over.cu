// SPDX-License-Identifier: MIT
// wrong_result: n / 256 blocks leave the last items out.
#include <cstdio>

__global__ void twice(int* items) { items[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }

int main() {
  int h_items[1000];
  for (int i = 0; i < 1000; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 1000 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  twice<<<1000 / 256, 256>>>(d_items);
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[999] == 1998 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
