// SPDX-License-Identifier: MIT
// right: __device__ variables without an initial value begin with zeros.
#include <cstdio>

__device__ int counts[32];
__device__ int total;

__global__ void count() {
  counts[threadIdx.x % 32] += 1;
  atomicAdd(&total, counts[threadIdx.x % 32]);
}

int main() {
  count<<<1, 32>>>();
  int h_total = 0;
  cudaMemcpyFromSymbol(&h_total, total, sizeof h_total);
  std::puts(h_total == 32 ? "PASS" : "FAIL");
}
