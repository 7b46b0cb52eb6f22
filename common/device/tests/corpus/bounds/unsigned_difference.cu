// SPDX-License-Identifier: MIT
// out_of_bounds: an unsigned difference below zero is a huge index.
// at: out[t] = in[t - radius];
#include <cstdio>

__global__ void shift(const int* in, int* out, unsigned radius) {
  const unsigned t = threadIdx.x;
  if (t - radius >= 0) out[t] = in[t - radius];
}

int main() {
  int h_in[64];
  for (int i = 0; i < 64; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 64 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  cudaMemset(d_out, 0, 64 * sizeof(int));
  shift<<<1, 64>>>(d_in, d_out, 2);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[63] == 61 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
