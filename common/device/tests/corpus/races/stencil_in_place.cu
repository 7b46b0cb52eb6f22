// SPDX-License-Identifier: MIT
// race: a block's stencil reads items that its neighbour block overwrites.
// at: items[i] = (left + right) / 2;
// at: const int left = items[i - 1], right = items[i + 1];
#include <cstdio>

__global__ void smooth(int* items, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 || i >= n - 1) return;
  const int left = items[i - 1], right = items[i + 1];
  __syncthreads();
  items[i] = (left + right) / 2;
}

int main() {
  int h_items[256];
  for (int i = 0; i < 256; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 256 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  smooth<<<4, 64>>>(d_items, 256);
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[100] == 100 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
