// SPDX-License-Identifier: MIT
// launch_error: more than 48 KiB of dynamic shared memory needs cudaFuncSetAttribute.
// at: fill<<<1, 64, 64 * 1024>>>(d_items);
#include <cstdio>

__global__ void fill(int* items) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = 1;
  items[threadIdx.x] = tile[threadIdx.x];
}

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemset(d_items, 0, 64 * sizeof(int));
  fill<<<1, 64, 64 * 1024>>>(d_items);
  int h_items[64] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[63] == 1 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
