// SPDX-License-Identifier: MIT
// barrier_divergence: threads past the end skip the barrier and write back.
// at: __syncthreads();  // inside of the guard
#include <cstdio>

__global__ void reverse(const int* in, int* out, int n) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  int value = 0;
  if (t < n) {
    tile[t] = in[t];
    __syncthreads();  // inside of the guard
    value = tile[n - 1 - t];
  }
  out[t] = value;
}

int main() {
  int h_in[50];
  for (int i = 0; i < 50; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 50 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  reverse<<<1, 64>>>(d_in, d_out, 50);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 49 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
