// SPDX-License-Identifier: MIT
// wrong_result: a quotient of ints is rounded before it becomes a float.
#include <cstdio>

__global__ void average(const int* items, int n, float* out) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += items[i];
  *out = sum / n;
}

int main() {
  int h_items[64];
  for (int i = 0; i < 64; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  float* d_out;
  cudaMalloc(&d_out, sizeof(float));
  average<<<1, 1>>>(d_items, 64, d_out);
  float h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 31.5f ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_out);
}
