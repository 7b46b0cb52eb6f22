// SPDX-License-Identifier: MIT
// race: the rounds of the tree are not separated.
// at: tile[t] += tile[t + stride];
#include <cstdio>

__global__ void sum(const int* in, int* out) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  for (int stride = 64; stride > 0; stride /= 2)
    if (t < stride) tile[t] += tile[t + stride];
  if (t == 0) out[0] = tile[0];
}

int main() {
  int h_in[128];
  for (int i = 0; i < 128; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 128 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  sum<<<1, 128>>>(d_in, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 8128 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
