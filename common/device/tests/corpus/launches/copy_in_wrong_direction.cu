// SPDX-License-Identifier: MIT
// launch_error: the host's array is the source, and the copy is named device to host.
// at: cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyDeviceToHost);
#include <cstdio>

__global__ void twice(int* items) { items[threadIdx.x] *= 2; }

int main() {
  int h_items[64];
  for (int i = 0; i < 64; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemset(d_items, 0, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyDeviceToHost);
  twice<<<1, 64>>>(d_items);
  cudaMemcpy(h_items, d_items, 64 * sizeof(int), cudaMemcpyDeviceToHost);
  std::puts(h_items[63] == 126 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
