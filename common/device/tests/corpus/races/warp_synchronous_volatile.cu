// SPDX-License-Identifier: MIT
// race: volatile does not keep a warp's lanes in step.
// at: sums[t] += sums[t + stride];
#include <cstdio>

__global__ void sum(const int* in, int* out) {
  __shared__ int tile[64];
  volatile int* sums = tile;
  const int t = threadIdx.x;
  sums[t] = in[t];
  sums[t + 32] = in[t + 32];
  for (int stride = 32; stride > 0; stride /= 2) sums[t] += sums[t + stride];
  if (t == 0) out[0] = sums[0];
}

int main() {
  int h_in[64];
  for (int i = 0; i < 64; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 64 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  sum<<<1, 32>>>(d_in, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 2016 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
