// SPDX-License-Identifier: MIT
// compile_error: a kernel is called like a function, without <<<...>>>.
// at: fill(d_items);
#include <cstdio>

__global__ void fill(int* items) { items[threadIdx.x] = 7; }

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  fill(d_items);
  int h_items[64] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[0] == 7 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
