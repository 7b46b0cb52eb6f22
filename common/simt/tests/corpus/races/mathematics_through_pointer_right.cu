// SPDX-License-Identifier: MIT
// right: each thread has its own place for the second result of a function of mathematics.
#include <cmath>
#include <cstdio>

__global__ void split(float* whole, int* exponents) {
  float sine, cosine;
  sincosf(modff(1.5f * threadIdx.x, &whole[threadIdx.x]), &sine, &cosine);
  frexpf(sine * cosine, &exponents[threadIdx.x]);
}

int main() {
  float* d_whole;
  int* d_exponents;
  cudaMalloc(&d_whole, 32 * sizeof(float));
  cudaMalloc(&d_exponents, 32 * sizeof(int));
  split<<<1, 32>>>(d_whole, d_exponents);
  cudaDeviceSynchronize();
  cudaFree(d_whole);
  cudaFree(d_exponents);
}
