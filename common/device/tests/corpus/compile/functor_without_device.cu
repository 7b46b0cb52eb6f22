// SPDX-License-Identifier: MIT
// compile_error: the functor's operator is a function of the host.
// at: items[threadIdx.x] = operation(items[threadIdx.x]);
#include <cstdio>

struct Increment {
  int operator()(int x) const { return x + 1; }
};

template <typename Operation>
__global__ void transform(int* items, Operation operation) {
  items[threadIdx.x] = operation(items[threadIdx.x]);
}

int main() {
  int h_items[64];
  for (int i = 0; i < 64; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  transform<<<1, 64>>>(d_items, Increment());
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[10] == 11 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
