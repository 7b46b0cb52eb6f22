// SPDX-License-Identifier: MIT
// right: a home-made barrier of a few blocks, which all have room at once.
#include <cstdio>

__device__ unsigned num_arrived;

__global__ void reverse(int* items, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  items[i] = i;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&num_arrived, 1);
    while (atomicAdd(&num_arrived, 0) < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  out[i] = items[gridDim.x * blockDim.x - 1 - i];
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
