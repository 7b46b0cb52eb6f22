// SPDX-License-Identifier: MIT
// out_of_bounds: column 32 of a row of 32 is the next row's first item.
// at: out[t] = tile[t][t + 1];
#include <cstdio>

__global__ void above_diagonal(int* out) {
  __shared__ int tile[32][32];
  const int t = threadIdx.x;
  for (int y = 0; y < 32; ++y) tile[y][t] = 32 * y + t;
  __syncthreads();
  out[t] = tile[t][t + 1];
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 32 * sizeof(int));
  above_diagonal<<<1, 32>>>(d_out);
  int h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 1 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
