// SPDX-License-Identifier: MIT
// As much as a page of ./lab trace holds: 4 blocks of 256 threads, and more than 20,000 steps in
// which every thread makes a new random number.
#include <cuda_runtime.h>

__global__ void mix(unsigned* d_numbers, int num_rounds) {
  __shared__ unsigned tile[256];
  unsigned number = d_numbers[blockIdx.x * 256 + threadIdx.x];
  for (int round = 0; round < num_rounds; ++round) {
    number = number * 1664525 + 1013904223;
    tile[threadIdx.x] = number;
    __syncthreads();
    number ^= tile[(threadIdx.x + 1) % 256] >> 7;
    __syncthreads();
  }
  d_numbers[blockIdx.x * 256 + threadIdx.x] = number;
}

int main() {
  constexpr int kNumbers = 1024;
  unsigned numbers[kNumbers];
  for (int i = 0; i < kNumbers; ++i) numbers[i] = 2654435761u * i;
  unsigned* d_numbers = nullptr;
  cudaMalloc(&d_numbers, sizeof numbers);
  cudaMemcpy(d_numbers, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  mix<<<4, 256>>>(d_numbers, 400);
  cudaDeviceSynchronize();
  cudaFree(d_numbers);
}
