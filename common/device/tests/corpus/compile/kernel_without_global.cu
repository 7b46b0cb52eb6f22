// SPDX-License-Identifier: MIT
// compile_error: the kernel lacks __global__.
// at: add_one<<<1, 64>>>(d_items);
#include <cstdio>

void add_one(int* items) { items[threadIdx.x] += 1; }

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemset(d_items, 0, 64 * sizeof(int));
  add_one<<<1, 64>>>(d_items);
  int h_items[64] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[63] == 1 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
