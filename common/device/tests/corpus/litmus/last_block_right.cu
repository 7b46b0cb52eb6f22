// SPDX-License-Identifier: MIT
// right: the last block adds the others' sums: a fence before the ticket, and one behind.
#include <cstdio>

__device__ unsigned num_done;

__global__ void sum(const int* in, volatile int* sums, int* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < 64; ++i) sum += in[64 * blockIdx.x + i];
    sums[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicAdd(&num_done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    __threadfence();
    int total = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) total += sums[i];
    *out = total;
  }
}

int main() {
  int h_in[512];
  for (int i = 0; i < 512; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 512 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_sums;
  cudaMalloc(&d_sums, 8 * sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  sum<<<8, 64>>>(d_in, d_sums, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 130816 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_sums);
  cudaFree(d_out);
}
