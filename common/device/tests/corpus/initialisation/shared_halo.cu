// SPDX-License-Identifier: MIT
// uninitialized_read: no thread loads the tile's halo.
// at: out[t] = tile[t] + tile[t + 1] + tile[t + 2];
#include <cstdio>

__global__ void stencil(const int* in, int* out) {
  __shared__ int tile[66];
  const int t = threadIdx.x;
  tile[t + 1] = in[t];
  __syncthreads();
  out[t] = tile[t] + tile[t + 1] + tile[t + 2];
}

int main() {
  int h_in[64];
  for (int i = 0; i < 64; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 64 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  stencil<<<1, 64>>>(d_in, d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 1 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
