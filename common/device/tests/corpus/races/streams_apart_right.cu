// SPDX-License-Identifier: MIT
// right: two streams at once, each with its own half; the default stream's copy waits for both.
#include <cstdio>

__global__ void fill(int* items, int value) { items[threadIdx.x] = value; }

int main() {
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  int* d_items;
  cudaMalloc(&d_items, 128 * sizeof(int));
  fill<<<1, 64, 0, first>>>(d_items, 1);
  fill<<<1, 64, 0, second>>>(d_items + 64, 2);
  int h_items[128] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[63] == 1 && h_items[127] == 2 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}
