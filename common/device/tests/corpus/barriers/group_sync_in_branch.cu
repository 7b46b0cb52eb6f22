// SPDX-License-Identifier: MIT
// barrier_divergence: the block's group synchronises in a branch that one warp takes.
// at: if (threadIdx.x < 32) cooperative_groups::this_thread_block().sync();
#include <cooperative_groups.h>

#include <cstdio>

__global__ void part(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x < 32) cooperative_groups::this_thread_block().sync();
  for (int i = 0; i < 4; ++i) value = value * 3 + 1;
  out[threadIdx.x] = value;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  part<<<1, 64>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 40 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
