// SPDX-License-Identifier: MIT
// host_pointer: std::memcpy cannot reach device memory; cudaMemcpy does.
// at: std::memcpy(h_out, d_items, sizeof h_out);
#include <cstdio>
#include <cstring>

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemset(d_items, 0, 64 * sizeof(int));
  int h_out[64];
  std::memcpy(h_out, d_items, sizeof h_out);
  std::puts(h_out[63] == 0 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
