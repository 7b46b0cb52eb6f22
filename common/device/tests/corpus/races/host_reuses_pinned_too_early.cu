// SPDX-License-Identifier: MIT
// race: the host fills the pinned buffer again while the copy may still read it.
// at: h_items[63] = -1;
#include <cstdio>

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  int* h_items;
  cudaMallocHost(&h_items, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) h_items[i] = i;
  cudaMemcpyAsync(d_items, h_items, 64 * sizeof(int), cudaMemcpyHostToDevice);
  h_items[63] = -1;
  cudaDeviceSynchronize();
  int last = 0;
  cudaMemcpy(&last, d_items + 63, sizeof last, cudaMemcpyDeviceToHost);
  std::puts(last == 63 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFreeHost(h_items);
}
