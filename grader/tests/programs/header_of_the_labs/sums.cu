// SPDX-License-Identifier: MIT
// A header of the labs may launch kernels.
#include <cstdio>
#include "lab/provided_scan.cuh"
int main() {
  int h_items[6] = {3, 1, 7}, *d_items;
  void* d_scratch;
  cudaMalloc(&d_items, sizeof h_items);
  cudaMalloc(&d_scratch, 65536);
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  lab::Scratch scratch(d_scratch, 65536);
  lab::exclusive_scan(d_items, 3, d_items + 3, scratch, nullptr);
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d\n", h_items[3], h_items[4], h_items[5]);
  cudaFree(d_items);
  cudaFree(d_scratch);
}
