// SPDX-License-Identifier: MIT
// uninitialized_read: threads past the end store nothing, and the tree adds their places.
// at: tile[t] += tile[t + stride];
#include <cstdio>

__global__ void sum(const int* in, int n, int* out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  if (t < n) tile[t] = in[t];
  for (int stride = 32; stride > 0; stride /= 2) {
    __syncthreads();
    if (t < stride) tile[t] += tile[t + stride];
  }
  if (t == 0) out[0] = tile[0];
}

int main() {
  int h_in[50];
  for (int i = 0; i < 50; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 50 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  sum<<<1, 64>>>(d_in, 50, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 1225 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
