// SPDX-License-Identifier: MIT
// out_of_bounds: values of 256 and more have no bin.
// at: atomicAdd(&bins[values[i]], 1);
#include <cstdio>

__global__ void histogram(const int* values, int* bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[values[i]], 1);
}

int main() {
  int h_values[300];
  for (int i = 0; i < 300; ++i) h_values[i] = i;
  int* d_values;
  cudaMalloc(&d_values, 300 * sizeof(int));
  cudaMemcpy(d_values, h_values, sizeof h_values, cudaMemcpyHostToDevice);
  int* d_bins;
  cudaMalloc(&d_bins, 256 * sizeof(int));
  cudaMemset(d_bins, 0, 256 * sizeof(int));
  histogram<<<2, 256>>>(d_values, d_bins, 300);
  int h_bins[256] = {};
  cudaMemcpy(h_bins, d_bins, sizeof h_bins, cudaMemcpyDeviceToHost);
  std::puts(h_bins[255] == 1 ? "PASS" : "FAIL");
  cudaFree(d_values);
  cudaFree(d_bins);
}
