// SPDX-License-Identifier: MIT
// compile_error: std::vector allocates with functions of the host.
// at: std::vector<int> mine(4, threadIdx.x);
#include <cstdio>
#include <vector>

__global__ void fill(int* items) {
  std::vector<int> mine(4, threadIdx.x);
  items[threadIdx.x] = mine[3];
}

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  fill<<<1, 64>>>(d_items);
  int h_items[64] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[63] == 63 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
