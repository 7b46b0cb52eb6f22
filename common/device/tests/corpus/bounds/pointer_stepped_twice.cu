// SPDX-License-Identifier: MIT
// out_of_bounds: the pointer moves by bytes and by items: four times too far.
// at: *item = 1;
#include <cstdio>

__global__ void mark(int* items) {
  int* item = items + threadIdx.x * sizeof(int);
  *item = 1;
}

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemset(d_items, 0, 64 * sizeof(int));
  mark<<<1, 64>>>(d_items);
  int h_items[64] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[1] == 1 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
