// SPDX-License-Identifier: MIT
// right: a barrier in conditional code that a whole block takes, or none of its threads.
#include <cstdio>

__global__ void reverse_odd_blocks(int* out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  int value = t;
  if (blockIdx.x % 2 == 1) {
    tile[t] = t;
    __syncthreads();
    value = tile[63 - t];
  } else {
    for (int i = 0; i < static_cast<int>(blockIdx.x); ++i) __syncthreads();
  }
  out[64 * blockIdx.x + t] = value;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 256 * sizeof(int));
  reverse_odd_blocks<<<4, 64>>>(d_out);
  int h_out[256] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[64] == 63 && h_out[128] == 0 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
