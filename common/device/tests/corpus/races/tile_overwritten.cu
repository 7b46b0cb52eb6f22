// SPDX-License-Identifier: MIT
// race: the second barrier is missing: the next tile is loaded while some still read this one.
// at: tile[t] = in[64 * step + t];
// at: sum += tile[(t + i) % 64];
#include <cstdio>

__global__ void sums(const int* in, int* out, int num_steps) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  int sum = 0;
  for (int step = 0; step < num_steps; ++step) {
    tile[t] = in[64 * step + t];
    __syncthreads();
    for (int i = 0; i < 64; ++i) sum += tile[(t + i) % 64];
  }
  out[t] = sum;
}

int main() {
  int h_in[256];
  for (int i = 0; i < 256; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 256 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  sums<<<1, 64>>>(d_in, d_out, 4);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[5] == 32640 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
