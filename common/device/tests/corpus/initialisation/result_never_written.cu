// SPDX-License-Identifier: MIT
// uninitialized_read: the kernel writes into the input, and the host copies the untouched output.
// at: cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
#include <cstdio>

__global__ void square(int* in, int*) { in[threadIdx.x] *= in[threadIdx.x]; }

int main() {
  int h_in[64];
  for (int i = 0; i < 64; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 64 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  square<<<1, 64>>>(d_in, d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[9] == 81 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
