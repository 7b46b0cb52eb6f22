// SPDX-License-Identifier: MIT
// race: a function of mathematics returns its second result through a pointer, which is a write.
// at: modff(value, whole);
#include <cmath>
#include <cstdio>

__global__ void split(float* whole) {
  const float value = 1.5f * threadIdx.x;
  modff(value, whole);
}

int main() {
  float* d_whole;
  cudaMalloc(&d_whole, sizeof(float));
  split<<<1, 32>>>(d_whole);
  cudaDeviceSynchronize();
  cudaFree(d_whole);
}
