// SPDX-License-Identifier: MIT
// uninitialized_read: blocks without items leave no sum, and the second kernel adds all.
// at: total += sums[i];
#include <cstdio>

__global__ void block_sums(const int* in, int n, int* sums) {
  const int begin = 64 * blockIdx.x;
  if (begin >= n) return;
  int sum = 0;
  for (int i = begin; i < begin + 64; ++i) sum += in[i];
  sums[blockIdx.x] = sum;
}

__global__ void sum_of_sums(const int* sums, int num_blocks, int* out) {
  int total = 0;
  for (int i = 0; i < num_blocks; ++i) total += sums[i];
  out[0] = total;
}

int main() {
  int h_in[128];
  for (int i = 0; i < 128; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 128 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_sums;
  cudaMalloc(&d_sums, 4 * sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  block_sums<<<4, 1>>>(d_in, 128, d_sums);
  sum_of_sums<<<1, 1>>>(d_sums, 4, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 8128 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_sums);
  cudaFree(d_out);
}
