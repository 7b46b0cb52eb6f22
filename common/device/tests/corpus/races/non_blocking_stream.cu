// SPDX-License-Identifier: MIT
// race: a non-blocking stream does not wait for the default stream.
// at: items[threadIdx.x] = threadIdx.x;
// at: items[threadIdx.x] += 1;
#include <cstdio>

__global__ void iota(int* items) { items[threadIdx.x] = threadIdx.x; }
__global__ void increment(int* items) { items[threadIdx.x] += 1; }

int main() {
  cudaStream_t side;
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemset(d_items, 0, 64 * sizeof(int));
  cudaDeviceSynchronize();
  iota<<<1, 64>>>(d_items);
  increment<<<1, 64, 0, side>>>(d_items);
  cudaDeviceSynchronize();
  int h_items[64] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[63] == 64 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaStreamDestroy(side);
}
