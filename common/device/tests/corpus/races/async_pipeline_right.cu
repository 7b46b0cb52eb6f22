// SPDX-License-Identifier: MIT
// right: two stages of asynchronous copies: the next tile is under way while this one is used.
#include <cuda_pipeline.h>

#include <cstdio>

__global__ void sums(const int* in, int* out, int num_tiles) {
  __shared__ int tiles[2][64];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tiles[0][t], &in[t], sizeof(int));
  __pipeline_commit();
  int sum = 0;
  for (int i = 0; i < num_tiles; ++i) {
    if (i + 1 < num_tiles)
      __pipeline_memcpy_async(&tiles[(i + 1) % 2][t], &in[64 * (i + 1) + t], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += tiles[i % 2][63 - t];
    __syncthreads();
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
  std::puts(h_out[63] == 0 + 64 + 128 + 192 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
