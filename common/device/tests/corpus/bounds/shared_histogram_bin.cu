// SPDX-License-Identifier: MIT
// out_of_bounds: a shared histogram of 16 bins counts values up to 16.
// at: atomicAdd(&bins[values[threadIdx.x] % 17], 1);
#include <cstdio>

__global__ void histogram(const int* values, int* out) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[values[threadIdx.x] % 17], 1);
  __syncthreads();
  if (threadIdx.x < 16) out[threadIdx.x] = bins[threadIdx.x];
}

int main() {
  int h_values[64];
  for (int i = 0; i < 64; ++i) h_values[i] = i;
  int* d_values;
  cudaMalloc(&d_values, 64 * sizeof(int));
  cudaMemcpy(d_values, h_values, sizeof h_values, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 16 * sizeof(int));
  histogram<<<1, 64>>>(d_values, d_out);
  int h_out[16] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 4 ? "PASS" : "FAIL");
  cudaFree(d_values);
  cudaFree(d_out);
}
