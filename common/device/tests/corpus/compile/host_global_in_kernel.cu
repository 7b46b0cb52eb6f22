// SPDX-License-Identifier: MIT
// compile_error: a kernel reads a global variable of the host.
// at: items[threadIdx.x] *= factor;
#include <cstdio>

int factor = 3;

__global__ void scale(int* items) { items[threadIdx.x] *= factor; }

int main() {
  int h_items[64];
  for (int i = 0; i < 64; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  scale<<<1, 64>>>(d_items);
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[10] == 30 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
