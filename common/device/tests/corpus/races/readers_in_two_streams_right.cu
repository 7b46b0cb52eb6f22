// SPDX-License-Identifier: MIT
// right: two streams read one input at once.
#include <cstdio>

__global__ void copy(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }

int main() {
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  int h_in[64];
  for (int i = 0; i < 64; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 64 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 128 * sizeof(int));
  copy<<<1, 64, 0, first>>>(d_in, d_out);
  copy<<<1, 64, 0, second>>>(d_in, d_out + 64);
  cudaDeviceSynchronize();
  int h_out[128] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[63] == 63 && h_out[127] == 63 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}
