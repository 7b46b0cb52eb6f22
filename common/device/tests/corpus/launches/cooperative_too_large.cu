// SPDX-License-Identifier: MIT
// launch_error: the blocks of a cooperative launch must all be resident at once.
// at: cudaLaunchCooperativeKernel(reinterpret_cast<void*>(wait), dim3(100000), dim3(1024),
// arguments, 0, 0);
#include <cooperative_groups.h>

#include <cstdio>

__global__ void wait(int* out) {
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 0) out[0] = 1;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  cudaMemset(d_out, 0, sizeof(int));
  void* arguments[] = {&d_out};
  // clang-format off
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(wait), dim3(100000), dim3(1024), arguments, 0, 0);
  // clang-format on
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 1 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
