// SPDX-License-Identifier: MIT
// race: a cooperative kernel synchronises its block where it means the grid.
// at: out[i] = items[255 - i];
// at: items[i] = i;
#include <cooperative_groups.h>

#include <cstdio>

__global__ void reverse(int* items, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  items[i] = i;
  cooperative_groups::this_thread_block().sync();
  out[i] = items[255 - i];
}

int main() {
  int* d_items;
  cudaMalloc(&d_items, 256 * sizeof(int));
  cudaMemset(d_items, 0, 256 * sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, 256 * sizeof(int));
  void* arguments[] = {&d_items, &d_out};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(reverse), dim3(4), dim3(64), arguments, 0, 0);
  int h_out[256] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 255 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_out);
}
