// SPDX-License-Identifier: MIT
// deadlock: block 0 does not come to grid.sync(), and the others wait for it.
// at: if (blockIdx.x != 0) cooperative_groups::this_grid().sync();
#include <cooperative_groups.h>

#include <cstdio>

__global__ void wait(int* out) {
  if (blockIdx.x != 0) cooperative_groups::this_grid().sync();
  out[blockIdx.x] = 1;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 4 * sizeof(int));
  cudaMemset(d_out, 0, 4 * sizeof(int));
  void* arguments[] = {&d_out};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(wait), dim3(4), dim3(32), arguments, 0, 0);
  int h_out[4] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[3] == 1 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
