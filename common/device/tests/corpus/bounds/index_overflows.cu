// SPDX-License-Identifier: MIT
// out_of_bounds: row * pitch does not fit in an int.
// at: out[threadIdx.x] = items[row * pitch];
#include <cstdio>

__global__ void pick(const char* items, char* out) {
  const int row = 70000 + threadIdx.x, pitch = 32768;
  out[threadIdx.x] = items[row * pitch];
}

int main() {
  char* d_items;
  cudaMalloc(&d_items, 4096 * sizeof(char));
  cudaMemset(d_items, 0, 4096 * sizeof(char));
  char* d_out;
  cudaMalloc(&d_out, 32 * sizeof(char));
  pick<<<1, 32>>>(d_items, d_out);
  char h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 0 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_out);
}
