// SPDX-License-Identifier: MIT
// race: a stream frees memory that a kernel on another stream may still write.
// at: fill<<<1, 64, 0, user>>>(d_items);
// at: __global__ void fill(int* items) { items[threadIdx.x] = threadIdx.x; }
// at: cudaFreeAsync(d_items, owner);
#include <cstdio>

__global__ void fill(int* items) { items[threadIdx.x] = threadIdx.x; }

int main() {
  cudaStream_t owner, user;
  cudaStreamCreate(&owner);
  cudaStreamCreate(&user);
  cudaEvent_t is_allocated;
  cudaEventCreate(&is_allocated);
  int* d_items;
  cudaMallocAsync(&d_items, 64 * sizeof(int), owner);
  cudaEventRecord(is_allocated, owner);
  cudaStreamWaitEvent(user, is_allocated);
  fill<<<1, 64, 0, user>>>(d_items);
  cudaFreeAsync(d_items, owner);
  std::puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
  cudaEventDestroy(is_allocated);
  cudaStreamDestroy(owner);
  cudaStreamDestroy(user);
}
