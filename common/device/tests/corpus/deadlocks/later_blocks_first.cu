// SPDX-License-Identifier: MIT
// deadlock: each block waits for the next one, and more blocks are launched than fit.
// at: while (atomicAdd(&done[blockIdx.x + 1], 0) == 0) {
#include <cstdio>

__device__ int done[100001];

__global__ void backwards(int last) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x != last)
    while (atomicAdd(&done[blockIdx.x + 1], 0) == 0) {
    }
  atomicExch(&done[blockIdx.x], 1);
}

int main() {
  const int num_blocks = 20000;
  backwards<<<num_blocks, 1024>>>(num_blocks - 1);
  std::puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
}
