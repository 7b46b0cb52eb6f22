// SPDX-License-Identifier: MIT
// right: all threads call a helper with a barrier, from two places, some of them in a branch that
// the whole block takes.
#include <cstdio>

__device__ __noinline__ int block_sum(int* tile, int value) {
  __syncthreads();
  tile[threadIdx.x] = value;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < blockDim.x; ++i) sum += tile[i];
  return sum;
}

__global__ void sums(int* out, int num_items) {
  __shared__ int tile[64];
  if (blockIdx.x >= num_items) return;
  int sum = block_sum(tile, threadIdx.x);
  for (int i = 0; i < blockIdx.x; ++i) sum = block_sum(tile, sum & 1);
  if (blockIdx.x == 1) sum += block_sum(tile, 1);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 3 * sizeof(int));
  sums<<<4, 64>>>(d_out, 3);
  int h_out[3] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 2016 && h_out[1] == 64 && h_out[2] == 0 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
