// SPDX-License-Identifier: MIT
// out_of_bounds: a kernel reads what it has freed.
// at: out[threadIdx.x] = mine[threadIdx.x % 4];
#include <cstdio>

__global__ void fill(int* out) {
  int* mine = new int[4];
  for (int i = 0; i < 4; ++i) mine[i] = i + out[threadIdx.x];
  delete[] mine;
  out[threadIdx.x] = mine[threadIdx.x % 4];
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 32 * sizeof(int));
  cudaMemset(d_out, 0, 32 * sizeof(int));
  fill<<<1, 32>>>(d_out);
  int h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[31] == 3 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
