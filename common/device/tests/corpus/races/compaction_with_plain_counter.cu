// SPDX-License-Identifier: MIT
// race: `(*count)++` gives two threads the same place.
// at: if (items[i] % 2 == 0) out[(*count)++] = items[i];
#include <cstdio>

__global__ void keep_even(const int* items, int* out, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (items[i] % 2 == 0) out[(*count)++] = items[i];
}

int main() {
  int h_items[128];
  for (int i = 0; i < 128; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 128 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 128 * sizeof(int));
  cudaMemset(d_out, 0, 128 * sizeof(int));
  int* d_count;
  cudaMalloc(&d_count, sizeof(int));
  cudaMemset(d_count, 0, sizeof(int));
  keep_even<<<2, 64>>>(d_items, d_out, d_count);
  int h_count = {};
  cudaMemcpy(&h_count, d_count, sizeof h_count, cudaMemcpyDeviceToHost);
  std::puts(h_count == 64 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_out);
  cudaFree(d_count);
}
