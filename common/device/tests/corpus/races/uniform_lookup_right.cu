// SPDX-License-Identifier: MIT
// right: overlapping reads of one input, through __ldg and const __restrict__.
#include <cstdio>

__global__ void windows(const int* __restrict__ in, int* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 8; ++k) sum += __ldg(&in[i + k]);
  out[i] = sum;
}

int main() {
  int h_in[135];
  for (int i = 0; i < 135; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 135 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 128 * sizeof(int));
  windows<<<2, 64>>>(d_in, d_out);
  int h_out[128] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 28 && h_out[127] == 1044 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
