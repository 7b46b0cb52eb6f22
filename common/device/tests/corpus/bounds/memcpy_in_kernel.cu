// SPDX-License-Identifier: MIT
// out_of_bounds: memcpy in a kernel copies a row too many.
// at: memcpy(out + 4 * threadIdx.x, in + 4 * threadIdx.x, 8 * sizeof(int));
#include <cstdio>
#include <cstring>

__global__ void copy_rows(const int* in, int* out) {
  memcpy(out + 4 * threadIdx.x, in + 4 * threadIdx.x, 8 * sizeof(int));
}

int main() {
  int h_in[128];
  for (int i = 0; i < 128; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 128 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 128 * sizeof(int));
  copy_rows<<<1, 32>>>(d_in, d_out);
  int h_out[128] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[127] == 127 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
