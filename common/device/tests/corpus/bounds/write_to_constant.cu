// SPDX-License-Identifier: MIT
// out_of_bounds: a kernel cannot write constant memory.
// at: *const_cast<int*>(&table[threadIdx.x]) = 1;
#include <cstdio>

__constant__ int table[32];

__global__ void fill(int* out) {
  *const_cast<int*>(&table[threadIdx.x]) = 1;
  out[threadIdx.x] = table[threadIdx.x];
}

int main() {
  int h_table[32] = {};
  cudaMemcpyToSymbol(table, h_table, sizeof h_table);
  int* d_out;
  cudaMalloc(&d_out, 32 * sizeof(int));
  fill<<<1, 32>>>(d_out);
  int h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 1 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
