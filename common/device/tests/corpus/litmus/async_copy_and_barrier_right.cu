// SPDX-License-Identifier: MIT
// right: own wait, then the barrier: all copies of the block have arrived.
#include <cuda_pipeline.h>

#include <cstdio>

__global__ void reverse(const int* in, int* out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = tile[63 - t];
}

int main() {
  int h_in[64];
  for (int i = 0; i < 64; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 64 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  reverse<<<1, 64>>>(d_in, d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 63 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
