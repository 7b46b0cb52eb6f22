// SPDX-License-Identifier: MIT
// race: thread 0 draws the ticket, and the other threads' stores are ordered by nothing.
// at: items[i] = i;
// at: for (int k = 0; k < 512; ++k) total += items[k];
#include <cstdio>

__device__ unsigned num_done;

__global__ void sum(int* items, int* out) {
  __shared__ bool is_last;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  items[i] = i;
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicAdd(&num_done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    __threadfence();
    int total = 0;
    for (int k = 0; k < 512; ++k) total += items[k];
    *out = total;
  }
}

int main() {
  int* d_items;
  cudaMalloc(&d_items, 512 * sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  sum<<<8, 64>>>(d_items, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 130816 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_out);
}
