// SPDX-License-Identifier: MIT
// right: threads write neighbouring bytes of one word.
#include <cstdio>

__global__ void fill(char* out) {
  __shared__ char tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
  char* d_out;
  cudaMalloc(&d_out, 64 * sizeof(char));
  fill<<<1, 64>>>(d_out);
  char h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 63 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
