// SPDX-License-Identifier: MIT
// right: a pointer one past the end, and one before, that nothing reads.
#include <cstdio>

__global__ void sum(const int* items, int n, int* out) {
  int total = 0;
  for (const int *item = items, *end = items + n; item != end; ++item) total += *item;
  for (const int* item = items + n - 1; item >= items; --item) total += *item;
  out[0] = total;
}

int main() {
  int h_items[64];
  for (int i = 0; i < 64; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  sum<<<1, 1>>>(d_items, 64, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 4032 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_out);
}
