// SPDX-License-Identifier: MIT
// launch_error: pinned memory is freed by cudaFreeHost.
// at: cudaFree(h_items);
#include <cstdio>

int main() {
  int* h_items;
  cudaMallocHost(&h_items, 64 * sizeof(int));
  h_items[0] = 7;
  const cudaError_t error = cudaGetLastError();
  cudaFree(h_items);
  std::puts(error == cudaSuccess ? "PASS" : "FAIL");
}
