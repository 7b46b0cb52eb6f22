// SPDX-License-Identifier: MIT
// right: two buffers need one barrier per round.
#include <cstdio>

__global__ void scan(int* items) {
  __shared__ int tiles[2][64];
  const int t = threadIdx.x;
  int now = 0;
  tiles[now][t] = items[t];
  for (int offset = 1; offset < 64; offset *= 2) {
    __syncthreads();
    const int left = t >= offset ? tiles[now][t - offset] : 0;
    tiles[1 - now][t] = tiles[now][t] + left;
    now = 1 - now;
  }
  items[t] = tiles[now][t];
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
