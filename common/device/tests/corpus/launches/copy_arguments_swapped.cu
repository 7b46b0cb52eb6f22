// SPDX-License-Identifier: MIT
// launch_error: source and destination are swapped.
// at: cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyHostToDevice);
#include <cstdio>

int main() {
  int h_items[64] = {1, 2, 3};
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemset(d_items, 0, 64 * sizeof(int));
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyHostToDevice);
  std::puts(h_items[2] == 3 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
