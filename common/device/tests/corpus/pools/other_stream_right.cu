// SPDX-License-Identifier: MIT
// right: a stream waits for an event before it uses what another stream has allocated.
#include <cstdio>

__global__ void fill(int* items) { items[threadIdx.x] = threadIdx.x; }

int main() {
  cudaStream_t owner, user;
  cudaStreamCreate(&owner);
  cudaStreamCreate(&user);
  cudaEvent_t is_allocated, is_filled;
  cudaEventCreate(&is_allocated);
  cudaEventCreate(&is_filled);
  int *d_items, h_items[64];
  cudaMallocAsync(&d_items, sizeof h_items, owner);
  cudaEventRecord(is_allocated, owner);
  cudaStreamWaitEvent(user, is_allocated);
  fill<<<1, 64, 0, user>>>(d_items);
  cudaEventRecord(is_filled, user);
  cudaStreamWaitEvent(owner, is_filled);
  cudaMemcpyAsync(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost, owner);
  cudaFreeAsync(d_items, owner);
  cudaStreamSynchronize(owner);
  std::puts(h_items[63] == 63 ? "PASS" : "FAIL");
  cudaEventDestroy(is_allocated);
  cudaEventDestroy(is_filled);
  cudaStreamDestroy(owner);
  cudaStreamDestroy(user);
}
