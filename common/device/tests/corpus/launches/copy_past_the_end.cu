// SPDX-License-Identifier: MIT
// launch_error: cudaMemcpy reads more than was allocated.
// at: cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
#include <cstdio>

int main() {
  int h_items[128] = {};
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemset(d_items, 0, 64 * sizeof(int));
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[63] == 0 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
