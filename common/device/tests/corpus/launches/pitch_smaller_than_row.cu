// SPDX-License-Identifier: MIT
// launch_error: a row is longer than the pitch.
// at: cudaMemcpy2D(d_out, 32, d_in, 32, 64, 4, cudaMemcpyDeviceToDevice);
#include <cstdio>

int main() {
  int* d_in;
  cudaMalloc(&d_in, 64 * sizeof(int));
  cudaMemset(d_in, 0, 64 * sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  cudaMemset(d_out, 0, 64 * sizeof(int));
  cudaMemcpy2D(d_out, 32, d_in, 32, 64, 4, cudaMemcpyDeviceToDevice);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[63] == 0 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
