// SPDX-License-Identifier: MIT
// misaligned: an asynchronous copy of 16 bytes begins at a multiple of 4.
// at: __pipeline_memcpy_async(&tile[4 * t], &in[4 * t + 1], 16);
#include <cuda_pipeline.h>

#include <cstdio>

__global__ void shift(const float* in, float* out) {
  __shared__ alignas(16) float tile[128];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[4 * t], &in[4 * t + 1], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = tile[4 * t];
}

int main() {
  float h_in[132];
  for (int i = 0; i < 132; ++i) h_in[i] = i;
  float* d_in;
  cudaMalloc(&d_in, 132 * sizeof(float));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  float* d_out;
  cudaMalloc(&d_out, 32 * sizeof(float));
  shift<<<1, 32>>>(d_in, d_out);
  float h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 1 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
