// SPDX-License-Identifier: MIT
// host_pointer: an object given by reference inside of a struct lies on main's stack.
// at: items[threadIdx.x] = *limits.upper;
#include <cstdio>

struct Limits {
  const int* upper;
};

__global__ void fill(int* items, Limits limits) { items[threadIdx.x] = *limits.upper; }

int main() {
  const int upper = 10;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemset(d_items, 0, 64 * sizeof(int));
  fill<<<1, 64>>>(d_items, Limits{&upper});
  int h_items[64] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[63] == 10 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
