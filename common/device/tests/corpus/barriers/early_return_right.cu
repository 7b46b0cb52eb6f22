// SPDX-License-Identifier: MIT
// right: threads without an item return before the barriers, which then wait for the others.
#include <cstdio>

__global__ void reverse(const int* in, int* out, int n) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  if (t >= n) return;
  tile[t] = in[t];
  __syncthreads();
  out[t] = tile[n - 1 - t];
}

int main() {
  int h_in[50];
  for (int i = 0; i < 50; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 50 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 50 * sizeof(int));
  reverse<<<1, 64>>>(d_in, d_out, 50);
  int h_out[50] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 49 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
