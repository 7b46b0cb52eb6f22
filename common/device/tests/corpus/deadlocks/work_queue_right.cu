// SPDX-License-Identifier: MIT
// right: persistent blocks draw work until none is left.
#include <cstdio>

__device__ int next_item;

__global__ void drain(int* items, int n) {
  __shared__ int first;
  while (true) {
    if (threadIdx.x == 0) first = atomicAdd(&next_item, blockDim.x);
    __syncthreads();
    const int i = first + threadIdx.x;
    __syncthreads();
    if (i - static_cast<int>(threadIdx.x) >= n) break;
    if (i < n) items[i] += 1;
  }
}

int main() {
  int h_items[1000];
  for (int i = 0; i < 1000; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 1000 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  drain<<<4, 64>>>(d_items, 1000);
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[999] == 1000 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
