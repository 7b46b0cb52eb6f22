// SPDX-License-Identifier: MIT
// A scan in place without its second barrier: a race, with the other order.
#include <cuda_runtime.h>

__global__ void scan(int* d_items) {
  __shared__ int tile[256];
  tile[threadIdx.x] = d_items[threadIdx.x];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    const int left = threadIdx.x >= step ? tile[threadIdx.x - step] : 0;
    tile[threadIdx.x] += left;
    __syncthreads();
  }
  d_items[threadIdx.x] = tile[threadIdx.x];
}

int main() {
  int items[256];
  for (int i = 0; i < 256; ++i) items[i] = i % 7;
  int* d_items = nullptr;
  cudaMalloc(&d_items, sizeof items);
  cudaMemcpy(d_items, items, sizeof items, cudaMemcpyHostToDevice);
  scan<<<1, 256>>>(d_items);
  cudaDeviceSynchronize();
  cudaFree(d_items);
}
