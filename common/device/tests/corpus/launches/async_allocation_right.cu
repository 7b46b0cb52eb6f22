// SPDX-License-Identifier: MIT
// right: allocation, kernel and free in the order of one stream; cudaFree of a null pointer.
#include <cstdio>

__global__ void iota(int* items) { items[threadIdx.x] = threadIdx.x; }

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int *d_items, h_items[64];
  cudaMallocAsync(&d_items, sizeof h_items, stream);
  iota<<<1, 64, 0, stream>>>(d_items);
  cudaMemcpyAsync(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost, stream);
  cudaFreeAsync(d_items, stream);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaFree(nullptr);
  std::puts(h_items[63] == 63 ? "PASS" : "FAIL");
}
