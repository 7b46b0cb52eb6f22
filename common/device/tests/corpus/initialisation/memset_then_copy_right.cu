// SPDX-License-Identifier: MIT
// right: memory written by cudaMemset, by cudaMemcpy2D and by a copy between allocations.
#include <cstdio>

__global__ void add(const int* a, const int* b, int* out) {
  out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

int main() {
  int h_a[64];
  for (int i = 0; i < 64; ++i) h_a[i] = i;
  int* d_a;
  cudaMalloc(&d_a, 64 * sizeof(int));
  cudaMemcpy(d_a, h_a, sizeof h_a, cudaMemcpyHostToDevice);
  int* d_b;
  cudaMalloc(&d_b, 64 * sizeof(int));
  cudaMemset(d_b, 0, 64 * sizeof(int));
  int* d_c;
  cudaMalloc(&d_c, 64 * sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  cudaMemcpy2D(d_b, 32, d_a, 32, 16, 8, cudaMemcpyDeviceToDevice);
  cudaMemcpy(d_c, d_b, 64 * sizeof(int), cudaMemcpyDeviceToDevice);
  add<<<1, 64>>>(d_a, d_c, d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[3] == 6 && h_out[4] == 4 ? "PASS" : "FAIL");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
  cudaFree(d_out);
}
