// SPDX-License-Identifier: MIT
// uninitialized_read: shared memory does not begin with zeros.
// at: atomicAdd(&bins[items[threadIdx.x] % 16], 1);
#include <cstdio>

__global__ void histogram(const int* items, int* out) {
  __shared__ int bins[16];
  atomicAdd(&bins[items[threadIdx.x] % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) out[threadIdx.x] = bins[threadIdx.x];
}

int main() {
  int h_items[64];
  for (int i = 0; i < 64; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 16 * sizeof(int));
  histogram<<<1, 64>>>(d_items, d_out);
  int h_out[16] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 4 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_out);
}
