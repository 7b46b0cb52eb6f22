// SPDX-License-Identifier: MIT
// right: __syncthreads() orders global memory, too, for the threads of the block.
#include <cstdio>

__global__ void reverse(int* items, int* out) {
  const int t = threadIdx.x;
  items[t] = t;
  __syncthreads();
  out[t] = items[63 - t];
}

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  reverse<<<1, 64>>>(d_items, d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 63 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_out);
}
