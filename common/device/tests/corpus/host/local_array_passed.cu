// SPDX-License-Identifier: MIT
// host_pointer: the kernel gets an array of main's stack.
// at: items[threadIdx.x] = threadIdx.x;
#include <cstdio>

__global__ void iota(int* items) { items[threadIdx.x] = threadIdx.x; }

int main() {
  int h_items[64] = {};
  iota<<<1, 64>>>(h_items);
  const cudaError_t error = cudaDeviceSynchronize();
  std::puts(error == cudaSuccess && h_items[63] == 63 ? "PASS" : "FAIL");
}
