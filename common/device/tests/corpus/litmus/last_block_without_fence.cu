// SPDX-License-Identifier: MIT
// race: the block's sum may arrive after its ticket.
// at: sums[blockIdx.x] = blockIdx.x;
// at: for (unsigned i = 0; i < gridDim.x; ++i) total += sums[i];
#include <cstdio>

__device__ unsigned num_done;

__global__ void sum(int* sums, int* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = blockIdx.x;
    is_last = atomicAdd(&num_done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    int total = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) total += sums[i];
    *out = total;
  }
}

int main() {
  int* d_sums;
  cudaMalloc(&d_sums, 8 * sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  sum<<<8, 64>>>(d_sums, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 28 ? "PASS" : "FAIL");
  cudaFree(d_sums);
  cudaFree(d_out);
}
