// SPDX-License-Identifier: MIT
// launch_error: the machine has no device 99, and the program ignores the error.
// at: cudaSetDevice(99);
#include <cstdio>

int main() {
  cudaSetDevice(99);
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemset(d_items, 0, 64 * sizeof(int));
  int h_items[64] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[63] == 0 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
