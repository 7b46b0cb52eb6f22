// SPDX-License-Identifier: MIT
// out_of_bounds: sizeof of a pointer is not the size of the array.
// at: items[threadIdx.x] = 1.0f;
#include <cstdio>

__global__ void fill(float* items) { items[threadIdx.x] = 1.0f; }

int main() {
  float* d_items;
  cudaMalloc(&d_items, 32 * sizeof(d_items) / 4);
  fill<<<1, 256>>>(d_items);
  std::puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
  cudaFree(d_items);
}
