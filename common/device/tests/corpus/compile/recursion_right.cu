// SPDX-License-Identifier: MIT
// right: device functions may call themselves, and be called through pointers.
#include <cstdio>

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ int negate(int n) { return -n; }

__global__ void apply(int* out, bool plain) {
  int (*function)(int) = plain ? fibonacci : negate;
  out[threadIdx.x] = function(threadIdx.x % 10);
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  apply<<<1, 64>>>(d_out, true);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[9] == 34 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
