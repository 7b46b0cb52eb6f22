// SPDX-License-Identifier: MIT
// out_of_bounds: more threads than coefficients.
// at: out[threadIdx.x] = coefficients[threadIdx.x];
#include <cstdio>

__constant__ float coefficients[32];

__global__ void copy(float* out) { out[threadIdx.x] = coefficients[threadIdx.x]; }

int main() {
  float h_coefficients[32] = {};
  cudaMemcpyToSymbol(coefficients, h_coefficients, sizeof h_coefficients);
  float* d_out;
  cudaMalloc(&d_out, 64 * sizeof(float));
  copy<<<1, 64>>>(d_out);
  float h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[31] == 0 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
