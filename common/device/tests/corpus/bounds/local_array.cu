// SPDX-License-Identifier: MIT
// out_of_bounds: a thread's own array is indexed by a value that may equal its length.
// at: digits[items[threadIdx.x] % 5] += 1;
#include <cstdio>

__global__ void count(const int* items, int* out) {
  int digits[4] = {};
  digits[items[threadIdx.x] % 5] += 1;
  for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = digits[i];
}

int main() {
  int h_items[32];
  for (int i = 0; i < 32; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 32 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 128 * sizeof(int));
  count<<<1, 32>>>(d_items, d_out);
  int h_out[128] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 1 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_out);
}
