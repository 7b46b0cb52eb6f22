// SPDX-License-Identifier: MIT
// wrong_result: halving an odd stride loses an item.
#include <cstdio>

__global__ void sum(int* items, int n) {
  const int t = threadIdx.x;
  for (int stride = n / 2; stride > 0; stride /= 2) {
    if (t < stride) items[t] += items[t + stride];
    __syncthreads();
  }
}

int main() {
  int h_items[50];
  for (int i = 0; i < 50; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 50 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  sum<<<1, 32>>>(d_items, 50);
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[0] == 1225 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
