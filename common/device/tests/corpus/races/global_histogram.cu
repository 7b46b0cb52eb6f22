// SPDX-License-Identifier: MIT
// race: blocks count in global memory without an atomic.
// at: bins[items[i] % 16] += 1;
#include <cstdio>

__global__ void histogram(const int* items, int* bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bins[items[i] % 16] += 1;
}

int main() {
  int h_items[256];
  for (int i = 0; i < 256; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 256 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  int* d_bins;
  cudaMalloc(&d_bins, 16 * sizeof(int));
  cudaMemset(d_bins, 0, 16 * sizeof(int));
  histogram<<<4, 64>>>(d_items, d_bins);
  int h_bins[16] = {};
  cudaMemcpy(h_bins, d_bins, sizeof h_bins, cudaMemcpyDeviceToHost);
  std::puts(h_bins[0] == 16 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_bins);
}
