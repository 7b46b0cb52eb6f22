// SPDX-License-Identifier: MIT
// out_of_bounds: the loop's last round is one item past the end.
// at: sum += items[i];
#include <cstdio>

__global__ void sum_kernel(const int* items, int n, int* out) {
  int sum = 0;
  for (int i = 0; i <= n; ++i) sum += items[i];
  out[0] = sum;
}

int main() {
  int h_items[64];
  for (int i = 0; i < 64; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  sum_kernel<<<1, 1>>>(d_items, 64, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 2016 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_out);
}
