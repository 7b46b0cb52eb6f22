// SPDX-License-Identifier: MIT
// A header, arguments and an exit status; a project of CMake builds it.
#include <cstdio>

#include "factor.h"
__global__ void saxpy(const float* x, float* y, int num_items) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < num_items) y[i] += FACTOR * x[i];
}
int main(int argc, char**) {
  constexpr int kItems = 100;
  float *x, *y;
  cudaMalloc(&x, kItems * sizeof(float));
  cudaMalloc(&y, kItems * sizeof(float));
  cudaMemset(x, 0, kItems * sizeof(float));
  cudaMemset(y, 0, kItems * sizeof(float));
  saxpy<<<1, 128>>>(x, y, kItems);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
  std::printf("factor %d, %d arguments\n", FACTOR, argc - 1);
  return argc > 1 ? -1 : 0;
}
