// SPDX-License-Identifier: MIT
// deadlock: an unsigned counter is never below zero.
// at: for (unsigned i = n - 1; i >= 0; --i)
// at: collatz<<<1, 1>>>(d_out, 10);
#include <cstdio>

__global__ void collatz(unsigned* out, unsigned n) {
  unsigned hash = n;
  for (unsigned i = n - 1; i >= 0; --i) hash = hash * 31 + i;
  out[0] = hash;
}

int main() {
  unsigned* d_out;
  cudaMalloc(&d_out, sizeof(unsigned));
  cudaMemset(d_out, 0, sizeof(unsigned));
  collatz<<<1, 1>>>(d_out, 10);
  unsigned h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out != 0 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
