// SPDX-License-Identifier: MIT
// out_of_bounds: the asynchronous copy of the last tile reads past the input.
// at: __pipeline_memcpy_async(&tile[4 * t], &in[4 * (t + 1)], 16);
#include <cuda_pipeline.h>

#include <cstdio>

__global__ void shift(const int* in, int* out) {
  __shared__ alignas(16) int tile[128];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[4 * t], &in[4 * (t + 1)], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = tile[4 * t];
}

int main() {
  int h_in[128];
  for (int i = 0; i < 128; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 128 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 32 * sizeof(int));
  shift<<<1, 32>>>(d_in, d_out);
  int h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 4 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
