// SPDX-License-Identifier: MIT
// race: two threads may read the same head before either stores its own.
// at: head = i;
// at: next[i] = head;
#include <cstdio>

__device__ int head = -1;

__global__ void push(int* next) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  next[i] = head;
  head = i;
}

int main() {
  int* d_next;
  cudaMalloc(&d_next, 128 * sizeof(int));
  push<<<2, 64>>>(d_next);
  int h_next[128] = {};
  cudaMemcpy(h_next, d_next, sizeof h_next, cudaMemcpyDeviceToHost);
  int length = 0;
  cudaMemcpyFromSymbol(&length, head, sizeof length);
  std::puts(length >= 0 && h_next[0] == -1 ? "PASS" : "FAIL");
  cudaFree(d_next);
}
