// SPDX-License-Identifier: MIT
// right: a launch fails, the program reads the error, and takes smaller blocks.
#include <cstdio>

__global__ void fill(int* items) { items[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

int main() {
  int* d_items;
  cudaMalloc(&d_items, 2048 * sizeof(int));
  cudaMemset(d_items, 0, 2048 * sizeof(int));
  int threads = 2048;
  do {
    fill<<<2048 / threads, threads>>>(d_items);
    threads /= 2;
  } while (cudaGetLastError() != cudaSuccess);
  int h_items[2048] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[2047] == 1 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
