// SPDX-License-Identifier: MIT
// right: a struct's padding is copied with it, though nothing ever wrote it.
#include <cstdio>

struct Item {
  char key;
  int value;
};

__global__ void fill(Item* items) {
  items[threadIdx.x].key = 1;
  items[threadIdx.x].value = threadIdx.x;
}

__global__ void reverse(const Item* in, Item* out) { out[threadIdx.x] = in[31 - threadIdx.x]; }

int main() {
  Item* d_in;
  cudaMalloc(&d_in, 32 * sizeof(Item));
  Item* d_out;
  cudaMalloc(&d_out, 32 * sizeof(Item));
  fill<<<1, 32>>>(d_in);
  reverse<<<1, 32>>>(d_in, d_out);
  Item h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0].value == 31 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
