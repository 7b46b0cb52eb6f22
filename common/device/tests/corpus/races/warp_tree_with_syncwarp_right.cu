// SPDX-License-Identifier: MIT
// right: the last warp goes on by itself, with __syncwarp() between reads and writes.
#include <cstdio>

__global__ void sum(const int* in, int* out) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  if (t < 64) tile[t] += tile[t + 64];
  __syncthreads();
  if (t < 32) {
    int mine = tile[t] + tile[t + 32];
    for (int stride = 16; stride > 0; stride /= 2) {
      tile[t] = mine;
      __syncwarp();
      mine += tile[t ^ stride];
      __syncwarp();
    }
    if (t == 0) out[0] = mine;
  }
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
