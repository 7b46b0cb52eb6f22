// SPDX-License-Identifier: MIT
// Files share variables and keep what is static.
#include <cstdio>
#include "parts.cuh"
static __device__ int own = 1;
__device__ int base = 10;
__constant__ int scale;
__managed__ int count;
static __global__ void first(int* out) { *out = base + own + Square{3}.area(); }
int main() {
  int *d, h[4], seven = 7;
  cudaMalloc(&d, sizeof h);
  cudaMemcpyToSymbol(scale, &seven, sizeof seven);
  first<<<1, 1>>>(d);
  second<<<1, 1>>>(d + 1);
  fill_third(d + 2);
  fill<int><<<1, 1>>>(d + 3, 1);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d %d %d\n", h[0], h[1], h[2], h[3], count);
  cudaFree(d);
}
