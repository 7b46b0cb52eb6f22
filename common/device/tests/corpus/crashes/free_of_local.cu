// SPDX-License-Identifier: MIT
// crash: a kernel frees memory that malloc did not give.
// at: free(out);
#include <cstdio>

__global__ void fill(int* out) {
  out[0] = 7;
  free(out);
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  fill<<<1, 1>>>(d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 7 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
