// SPDX-License-Identifier: MIT
// misaligned: a float4 must begin at a multiple of 16 bytes.
// at: out[threadIdx.x] = *reinterpret_cast<const float4*>(in + 4 * threadIdx.x + 1);
#include <cstdio>

__global__ void copy(const float* in, float4* out) {
  out[threadIdx.x] = *reinterpret_cast<const float4*>(in + 4 * threadIdx.x + 1);
}

int main() {
  float h_in[132];
  for (int i = 0; i < 132; ++i) h_in[i] = i;
  float* d_in;
  cudaMalloc(&d_in, 132 * sizeof(float));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  float4* d_out;
  cudaMalloc(&d_out, 32 * sizeof(float4));
  copy<<<1, 32>>>(d_in, d_out);
  float4 h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0].x == 1 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
