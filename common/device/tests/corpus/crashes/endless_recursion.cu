// SPDX-License-Identifier: MIT
// crash: the recursion has no end, and the stack has one.
// or: out_of_bounds
#include <cstdio>

__device__ int depth(const int* next, int i) {
  volatile int path[64];
  path[i] = next[i];
  return depth(next, path[i]) + path[i];
}

__global__ void measure(const int* next, int* out) { out[0] = depth(next, 0); }

int main() {
  int h_next[2] = {1, 0};
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  cudaMemset(d_out, 0, sizeof(int));
  int* d_next;
  cudaMalloc(&d_next, 2 * sizeof(int));
  cudaMemcpy(d_next, h_next, sizeof h_next, cudaMemcpyHostToDevice);
  measure<<<1, 1>>>(d_next, d_out);
  std::puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
  cudaFree(d_next);
  cudaFree(d_out);
}
