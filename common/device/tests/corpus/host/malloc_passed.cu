// SPDX-License-Identifier: MIT
// host_pointer: the kernel gets memory from malloc.
// at: items[threadIdx.x] = threadIdx.x;
#include <cstdio>
#include <cstdlib>

__global__ void iota(int* items) { items[threadIdx.x] = threadIdx.x; }

int main() {
  int* h_items = static_cast<int*>(std::malloc(64 * sizeof(int)));
  iota<<<1, 64>>>(h_items);
  const cudaError_t error = cudaDeviceSynchronize();
  std::puts(error == cudaSuccess && h_items[63] == 63 ? "PASS" : "FAIL");
  std::free(h_items);
}
