// SPDX-License-Identifier: MIT
// launch_error: grid.sync() needs cudaLaunchCooperativeKernel.
// at: cooperative_groups::this_grid().sync();
#include <cooperative_groups.h>

#include <cstdio>

__global__ void wait(int* out) {
  cooperative_groups::this_grid().sync();
  out[blockIdx.x] = 1;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 4 * sizeof(int));
  cudaMemset(d_out, 0, 4 * sizeof(int));
  wait<<<4, 32>>>(d_out);
  int h_out[4] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[3] == 1 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
