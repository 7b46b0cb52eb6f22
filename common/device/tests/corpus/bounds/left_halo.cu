// SPDX-License-Identifier: MIT
// out_of_bounds: the first thread's left neighbour does not exist.
// at: out[i] = in[i - 1] + in[i] + in[i + 1];
#include <cstdio>

__global__ void stencil(const int* in, int* out, int n) {
  const int i = threadIdx.x;
  if (i + 1 < n) out[i] = in[i - 1] + in[i] + in[i + 1];
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
  stencil<<<1, 64>>>(d_in, d_out, 64);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[1] == 3 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
