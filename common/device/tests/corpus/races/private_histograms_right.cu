// SPDX-License-Identifier: MIT
// right: each warp counts in its own bins, by atomics, and the block adds them behind a barrier.
#include <cstdio>

__global__ void histogram(const int* items, int* out) {
  __shared__ int bins[4][16];
  const int t = threadIdx.x;
  if (t < 64) bins[t / 16][t % 16] = 0;
  __syncthreads();
  atomicAdd(&bins[t / 32][items[t] % 16], 1);
  __syncthreads();
  if (t < 16) atomicAdd(&out[t], bins[0][t] + bins[1][t] + bins[2][t] + bins[3][t]);
}

int main() {
  int h_items[128];
  for (int i = 0; i < 128; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 128 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 16 * sizeof(int));
  cudaMemset(d_out, 0, 16 * sizeof(int));
  histogram<<<1, 128>>>(d_items, d_out);
  int h_out[16] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[15] == 8 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_out);
}
