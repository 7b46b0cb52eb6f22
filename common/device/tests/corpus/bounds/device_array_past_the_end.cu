// SPDX-License-Identifier: MIT
// out_of_bounds: a __device__ array has fewer places than there are blocks.
// at: partial_sums[blockIdx.x] = blockIdx.x;
#include <cstdio>

__device__ int partial_sums[16];

__global__ void store() { partial_sums[blockIdx.x] = blockIdx.x; }

int main() {
  store<<<32, 1>>>();
  int h_sums[16] = {};
  cudaMemcpyFromSymbol(h_sums, partial_sums, sizeof h_sums);
  std::puts(h_sums[15] == 15 ? "PASS" : "FAIL");
}
