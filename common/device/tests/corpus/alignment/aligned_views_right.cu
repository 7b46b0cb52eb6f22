// SPDX-License-Identifier: MIT
// right: one buffer seen as float4, float2 and float where each fits; a union's other member.
#include <cstdio>

union Bits {
  float value;
  unsigned bits;
};

__global__ void views(const float* in, float* out) {
  const int t = threadIdx.x;
  const float4 four = reinterpret_cast<const float4*>(in)[t];
  const float2 two = reinterpret_cast<const float2*>(in)[2 * t + 1];
  Bits sign;
  sign.value = four.x;
  sign.bits ^= 0x80000000u;
  out[t] = sign.value + four.w - two.y;
}

int main() {
  float h_in[128];
  for (int i = 0; i < 128; ++i) h_in[i] = i;
  float* d_in;
  cudaMalloc(&d_in, 128 * sizeof(float));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  float* d_out;
  cudaMalloc(&d_out, 32 * sizeof(float));
  views<<<1, 32>>>(d_in, d_out);
  float h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[3] == -12 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
