// SPDX-License-Identifier: MIT
// compile_error: a kernel cannot be a member function of an object.
// at: __global__ void fill(int* items) { items[threadIdx.x] = value; }
#include <cstdio>

struct Filler {
  int value;
  __global__ void fill(int* items) { items[threadIdx.x] = value; }
};

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  Filler filler{7};
  filler.fill<<<1, 64>>>(d_items);
  int h_items[64] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[0] == 7 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
