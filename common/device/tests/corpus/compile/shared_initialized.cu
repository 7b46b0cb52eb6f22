// SPDX-License-Identifier: MIT
// compile_error: a shared variable cannot have an initial value.
// at: __shared__ int count = 0;
#include <cstdio>

__global__ void count_odd(const int* items, int* out) {
  __shared__ int count = 0;
  if (items[threadIdx.x] % 2 == 1) atomicAdd(&count, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = count;
}

int main() {
  int h_items[64];
  for (int i = 0; i < 64; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  count_odd<<<1, 64>>>(d_items, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 32 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_out);
}
