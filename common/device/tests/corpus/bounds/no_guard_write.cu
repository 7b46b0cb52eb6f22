// SPDX-License-Identifier: MIT
// out_of_bounds: the guard protects the read, and not the write.
// at: out[i] = value;
#include <cstdio>

__global__ void copy(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int value = i < n ? in[i] : 0;
  out[i] = value;
}

int main() {
  int h_in[100];
  for (int i = 0; i < 100; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 100 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 100 * sizeof(int));
  copy<<<2, 64>>>(d_in, d_out, 100);
  int h_out[100] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[99] == 99 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
