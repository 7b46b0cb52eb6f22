// SPDX-License-Identifier: MIT
// right: a cooperative kernel whose phases grid.sync() separates.
#include <cooperative_groups.h>

#include <cstdio>

__global__ void reverse(int* items, int* out) {
  const auto grid = cooperative_groups::this_grid();
  const int i = grid.thread_rank();
  items[i] = i;
  grid.sync();
  out[i] = items[255 - i];
  grid.sync();
  items[i] = out[255 - i] + 1;
}

int main() {
  int* d_items;
  cudaMalloc(&d_items, 256 * sizeof(int));
  cudaMemset(d_items, 0, 256 * sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, 256 * sizeof(int));
  void* arguments[] = {&d_items, &d_out};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(reverse), dim3(4), dim3(64), arguments, 0, 0);
  int h_items[256] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[0] == 1 && h_items[255] == 256 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_out);
}
