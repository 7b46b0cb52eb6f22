// SPDX-License-Identifier: MIT
// race: two threads swap the same pair.
// at: items[8 * x + y] = upper;
// at: items[8 * y + x] = lower;
// at: const int upper = items[8 * y + x], lower = items[8 * x + y];
#include <cstdio>

__global__ void transpose(int* items) {
  const int x = threadIdx.x, y = blockIdx.x;
  const int upper = items[8 * y + x], lower = items[8 * x + y];
  items[8 * y + x] = lower;
  items[8 * x + y] = upper;
}

int main() {
  int h_items[64];
  for (int i = 0; i < 64; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  transpose<<<8, 8>>>(d_items);
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[1] == 8 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
