// SPDX-License-Identifier: MIT
// wrong_result: distances begin at 8, so the sums cover half a warp.
#include <cstdio>

__global__ void sum(int* items) {
  int value = items[threadIdx.x];
  for (int distance = 8; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  items[threadIdx.x] = value;
}

int main() {
  int h_items[32];
  for (int i = 0; i < 32; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 32 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  sum<<<1, 32>>>(d_items);
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[0] == 496 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
