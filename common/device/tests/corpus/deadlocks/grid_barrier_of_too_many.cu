// SPDX-License-Identifier: MIT
// deadlock: a home-made barrier of the grid waits for blocks that have no room yet.
// at: while (atomicAdd(&num_arrived, 0) < gridDim.x) {
#include <cstdio>

__device__ unsigned num_arrived;

__global__ void phases(int* out) {
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&num_arrived, 1);
    while (atomicAdd(&num_arrived, 0) < gridDim.x) {
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 20000 * sizeof(int));
  cudaMemset(d_out, 0, 20000 * sizeof(int));
  phases<<<20000, 1024>>>(d_out);
  std::puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
  cudaFree(d_out);
}
