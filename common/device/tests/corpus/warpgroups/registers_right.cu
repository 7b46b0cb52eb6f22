// SPDX-License-Identifier: MIT
// right: two warpgroups take 32 more registers for each thread, and one has given 128.
#include <cstdio>

#include "lab/warpgroup_instructions.cuh"

// The second warpgroup takes registers that the first one gives. The launch divides 64 K equally.
__global__ void __launch_bounds__(384, 1) share(int* data) {
  if (threadIdx.x < 128) {
    lab::give_registers<40>();
  } else {
    lab::take_registers<200>();
    data[threadIdx.x] *= 2;
  }
}

int main() {
  int h[384];
  for (int i = 0; i < 384; ++i) h[i] = i;
  int* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  share<<<1, 384>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  std::puts(h[128] == 256 && h[383] == 766 ? "PASS" : "FAIL");
  cudaFree(d);
}
