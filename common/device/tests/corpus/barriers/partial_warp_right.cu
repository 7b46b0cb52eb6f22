// SPDX-License-Identifier: MIT
// right: a block of 48 threads: the last warp has 16 lanes, and its mask names 16.
#include <cstdio>

__global__ void sums(int* out) {
  const int t = threadIdx.x;
  const unsigned mask = t < 32 ? 0xffffffffu : 0x0000ffffu;
  int value = t;
  for (int i = 8; i > 0; i /= 2) value += __shfl_xor_sync(mask, value, i);
  out[t] = value;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 48 * sizeof(int));
  sums<<<1, 48>>>(d_out);
  int h_out[48] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[47] == 632 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
