// SPDX-License-Identifier: MIT
// out_of_bounds: the last float4 begins inside and ends behind the items.
// at: out[i] = in[i];
#include <cstdio>

__global__ void copy4(const float4* in, float4* out, int n) {
  const int i = threadIdx.x;
  if (4 * i < n) out[i] = in[i];
}

int main() {
  float h_in[126];
  for (int i = 0; i < 126; ++i) h_in[i] = i;
  float* d_in;
  cudaMalloc(&d_in, 126 * sizeof(float));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  float* d_out;
  cudaMalloc(&d_out, 126 * sizeof(float));
  copy4<<<1, 64>>>(reinterpret_cast<float4*>(d_in), reinterpret_cast<float4*>(d_out), 126);
  float h_out[126] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[125] == 125 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
