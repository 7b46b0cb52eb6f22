// SPDX-License-Identifier: MIT
// uninitialized_read: a thread's own counters are never set to zero.
// at: ++counts[(threadIdx.x + i) % 4];
// missed: the checkers do not follow local variables; compilers warn.
#include <cstdio>

__global__ void count(int* out, int rounds) {
  int counts[4];
  for (int i = 0; i < rounds; ++i) ++counts[(threadIdx.x + i) % 4];
  out[threadIdx.x] = counts[out[threadIdx.x] % 4];
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 32 * sizeof(int));
  cudaMemset(d_out, 0, 32 * sizeof(int));
  count<<<1, 32>>>(d_out, 8);
  int h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[31] == 2 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
