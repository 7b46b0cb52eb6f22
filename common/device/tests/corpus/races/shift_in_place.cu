// SPDX-License-Identifier: MIT
// race: each thread overwrites the item that its neighbour reads.
// at: if (t < 63) tile[t] = tile[t + 1];
#include <cstdio>

__global__ void shift(int* items) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  tile[t] = items[t];
  __syncthreads();
  if (t < 63) tile[t] = tile[t + 1];
  __syncthreads();
  items[t] = tile[t];
}

int main() {
  int h_items[64];
  for (int i = 0; i < 64; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  shift<<<1, 64>>>(d_items);
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[0] == 1 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
