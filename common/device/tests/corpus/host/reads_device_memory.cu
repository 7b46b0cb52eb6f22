// SPDX-License-Identifier: MIT
// host_pointer: the host reads device memory.
// at: const int last = d_items[63];
#include <cstdio>

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemset(d_items, 0, 64 * sizeof(int));
  const int last = d_items[63];
  std::puts(last == 0 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
