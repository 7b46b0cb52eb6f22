// SPDX-License-Identifier: MIT
// race: the flag for the next round is reset while slow threads still test it.
// at: if (threadIdx.x == 0) changed = false;
// at: if (!changed) break;
#include <cstdio>

__global__ void sort(int* items) {
  __shared__ bool changed;
  const int t = threadIdx.x;
  for (int round = 0; round < 64; ++round) {
    if (threadIdx.x == 0) changed = false;
    __syncthreads();
    const int i = 2 * t + round % 2;
    if (i + 1 < 64 && items[i] > items[i + 1]) {
      const int item = items[i];
      items[i] = items[i + 1];
      items[i + 1] = item;
      changed = true;
    }
    __syncthreads();
    if (!changed) break;
  }
}

int main() {
  int h_items[64];
  for (int i = 0; i < 64; ++i) h_items[i] = 63 - i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  sort<<<1, 64>>>(d_items);
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[63] == 63 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
