// SPDX-License-Identifier: MIT
// launch_error: the copy is larger than the __constant__ variable.
// at: cudaMemcpyToSymbol(table, h_table, sizeof h_table);
#include <cstdio>

__constant__ int table[32];

__global__ void read(int* out) { out[threadIdx.x] = table[threadIdx.x]; }

int main() {
  int h_table[64] = {7};
  cudaMemcpyToSymbol(table, h_table, sizeof h_table);
  int* d_out;
  cudaMalloc(&d_out, 32 * sizeof(int));
  read<<<1, 32>>>(d_out);
  int h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 7 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
