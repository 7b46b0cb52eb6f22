// SPDX-License-Identifier: MIT
// race: a Hillis-Steele scan reads and writes one buffer between the same barriers.
// at: if (t >= offset) tile[t] += tile[t - offset];
#include <cstdio>

__global__ void scan(int* items) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  tile[t] = items[t];
  for (int offset = 1; offset < 64; offset *= 2) {
    __syncthreads();
    if (t >= offset) tile[t] += tile[t - offset];
  }
  items[t] = tile[t];
}

int main() {
  int h_items[64];
  for (int i = 0; i < 64; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  scan<<<1, 64>>>(d_items);
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[63] == 2016 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
