// SPDX-License-Identifier: MIT
// race: `++` on a shared counter is a read and a write.
// at: ++bins[items[threadIdx.x] % 16];
#include <cstdio>

__global__ void histogram(const int* items, int* out) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  ++bins[items[threadIdx.x] % 16];
  __syncthreads();
  if (threadIdx.x < 16) out[threadIdx.x] = bins[threadIdx.x];
}

int main() {
  int h_items[128];
  for (int i = 0; i < 128; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 128 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 16 * sizeof(int));
  histogram<<<1, 128>>>(d_items, d_out);
  int h_out[16] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 8 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_out);
}
