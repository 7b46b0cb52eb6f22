// SPDX-License-Identifier: MIT
// host_pointer: the host fills device memory itself.
// at: for (int i = 0; i < 64; ++i) d_items[i] = i;
#include <cstdio>

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) d_items[i] = i;
  std::puts("PASS");
  cudaFree(d_items);
}
