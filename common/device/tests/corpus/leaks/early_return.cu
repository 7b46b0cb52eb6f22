// SPDX-License-Identifier: MIT
// leak: one way out of the function does not free the temporary.
// at: cudaMalloc(&d_copy, n * sizeof(int));
#include <cstdio>

__global__ void copy(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }

bool reverse(int* d_items, int n) {
  int* d_copy;
  cudaMalloc(&d_copy, n * sizeof(int));
  if (n < 128) return false;
  copy<<<1, n>>>(d_items, d_copy);
  cudaFree(d_copy);
  return true;
}

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemset(d_items, 0, 64 * sizeof(int));
  std::puts(!reverse(d_items, 64) ? "PASS" : "FAIL");
  cudaFree(d_items);
}
