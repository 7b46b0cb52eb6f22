// SPDX-License-Identifier: MIT
// launch_error: the allocation fails, the program ignores that, and a null pointer is used.
// at: cudaMalloc(&d_items, size);
// at: __global__ void fill(int* items)
// or: out_of_bounds
#include <cstdio>

__global__ void fill(int* items) { items[threadIdx.x] = 1; }

int main() {
  const size_t size = static_cast<size_t>(1) << 46;
  int* d_items = nullptr;
  cudaMalloc(&d_items, size);
  fill<<<1, 64>>>(d_items);
  std::puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
}
