// SPDX-License-Identifier: MIT
// right: each pair of warps has its own barrier.
#include <cstdio>

__device__ void arrive(int barrier) {
  asm volatile("bar.arrive %0, 64;" ::"r"(barrier) : "memory");
}
__device__ void wait(int barrier) { asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory"); }

// Two pairs of warps: the first of each writes, and the second reads.
__global__ void pairs(int* data) {
  __shared__ int words[2][32];
  const int pair = threadIdx.x / 64;
  const int lane = threadIdx.x % 32;
  if (threadIdx.x % 64 < 32) {
    words[pair][lane] = 10 * data[threadIdx.x];
    arrive(1 + pair);
  } else {
    wait(1 + pair);
    data[threadIdx.x] = words[pair][lane];
  }
}

int main() {
  int h[128];
  for (int i = 0; i < 128; ++i) h[i] = i;
  int* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  pairs<<<1, 128>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  std::puts(h[33] == 10 && h[97] == 650 ? "PASS" : "FAIL");
  cudaFree(d);
}
