// SPDX-License-Identifier: MIT
// race: __syncthreads() waits for the threads of one block, and not for the other blocks.
// at: out[i] = items[255 - i];
// at: items[i] = i;
#include <cstdio>

__global__ void reverse(int* items, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  items[i] = i;
  __syncthreads();
  out[i] = items[255 - i];
}

int main() {
  int* d_items;
  cudaMalloc(&d_items, 256 * sizeof(int));
  cudaMemset(d_items, 0, 256 * sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, 256 * sizeof(int));
  reverse<<<4, 64>>>(d_items, d_out);
  int h_out[256] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 255 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_out);
}
