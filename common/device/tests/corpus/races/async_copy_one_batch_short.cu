// SPDX-License-Identifier: MIT
// race: the wait leaves the newest batch under way, and that is the one which is read.
// at: out[t] = tile[1][t];
// at: __pipeline_memcpy_async(&tile[i][t], &in[64 * i + t], sizeof(int));
#include <cuda_pipeline.h>

#include <cstdio>

__global__ void copy(const int* in, int* out) {
  __shared__ int tile[2][64];
  const int t = threadIdx.x;
  for (int i = 0; i < 2; ++i) {
    __pipeline_memcpy_async(&tile[i][t], &in[64 * i + t], sizeof(int));
    __pipeline_commit();
  }
  __pipeline_wait_prior(1);
  out[t] = tile[1][t];
  __pipeline_wait_prior(0);
}

int main() {
  int h_in[128];
  for (int i = 0; i < 128; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 128 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  copy<<<1, 64>>>(d_in, d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[63] == 127 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
