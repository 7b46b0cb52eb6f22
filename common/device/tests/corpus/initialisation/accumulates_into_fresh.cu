// SPDX-License-Identifier: MIT
// uninitialized_read: the kernel adds to a fresh allocation.
// at: sums[threadIdx.x] += in[threadIdx.x];
#include <cstdio>

__global__ void accumulate(const int* in, int* sums) { sums[threadIdx.x] += in[threadIdx.x]; }

int main() {
  int h_in[64];
  for (int i = 0; i < 64; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 64 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_sums;
  cudaMalloc(&d_sums, 64 * sizeof(int));
  accumulate<<<1, 64>>>(d_in, d_sums);
  int h_sums[64] = {};
  cudaMemcpy(h_sums, d_sums, sizeof h_sums, cudaMemcpyDeviceToHost);
  std::puts(h_sums[63] == 63 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_sums);
}
