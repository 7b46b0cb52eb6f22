// SPDX-License-Identifier: MIT
// right: __constant__ and __device__ variables by cudaMemcpyToSymbol, with an offset, and by
// address.
#include <cstdio>

__constant__ int factors[64];
__device__ int results[64];

__global__ void multiply() { results[threadIdx.x] = threadIdx.x * factors[threadIdx.x]; }

int main() {
  int h_factors[32], h_results[64];
  for (int i = 0; i < 32; ++i) h_factors[i] = 2;
  cudaMemcpyToSymbol(factors, h_factors, sizeof h_factors);
  cudaMemcpyToSymbol(factors, h_factors, sizeof h_factors, sizeof h_factors);
  multiply<<<1, 64>>>();
  void* address;
  cudaGetSymbolAddress(&address, results);
  cudaMemcpy(h_results, address, sizeof h_results, cudaMemcpyDeviceToHost);
  std::puts(h_results[63] == 126 ? "PASS" : "FAIL");
}
