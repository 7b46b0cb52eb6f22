// SPDX-License-Identifier: MIT
// uninitialized_read: the last round swaps the buffers once too often: the result is unused memory.
// at: out[threadIdx.x] = buffer[threadIdx.x];
#include <cstdio>

__global__ void step(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x] + 1; }

__global__ void copy(const int* buffer, int* out) { out[threadIdx.x] = buffer[threadIdx.x]; }

int main() {
  int h_a[64];
  for (int i = 0; i < 64; ++i) h_a[i] = i;
  int* d_a;
  cudaMalloc(&d_a, 64 * sizeof(int));
  cudaMemcpy(d_a, h_a, sizeof h_a, cudaMemcpyHostToDevice);
  int* d_b;
  cudaMalloc(&d_b, 64 * sizeof(int));
  int* d_c;
  cudaMalloc(&d_c, 64 * sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  step<<<1, 64>>>(d_a, d_b);
  copy<<<1, 64>>>(d_c, d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[9] == 10 ? "PASS" : "FAIL");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
  cudaFree(d_out);
}
