// SPDX-License-Identifier: MIT
// leak: a kernel allocates and does not free.
#include <cstdio>

__global__ void fill(int* out) {
  int* mine = new int[4]{1, 2, 3, 4};
  out[threadIdx.x] = mine[3];
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 32 * sizeof(int));
  fill<<<1, 32>>>(d_out);
  int h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[31] == 4 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
