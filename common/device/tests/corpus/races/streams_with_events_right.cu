// SPDX-License-Identifier: MIT
// right: a second stream waits for an event of the first one, and back.
#include <cstdio>

__global__ void iota(int* items) { items[threadIdx.x] = threadIdx.x; }
__global__ void increment(int* items) { items[threadIdx.x] += 1; }

int main() {
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaEvent_t written, changed;
  cudaEventCreate(&written);
  cudaEventCreate(&changed);
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  iota<<<1, 64, 0, first>>>(d_items);
  cudaEventRecord(written, first);
  cudaStreamWaitEvent(second, written, 0);
  increment<<<1, 64, 0, second>>>(d_items);
  cudaEventRecord(changed, second);
  cudaStreamWaitEvent(first, changed, 0);
  increment<<<1, 64, 0, first>>>(d_items);
  cudaStreamSynchronize(first);
  int h_items[64] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[63] == 65 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaEventDestroy(written);
  cudaEventDestroy(changed);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}
