// SPDX-License-Identifier: MIT
// out_of_bounds: the stream frees the items before its next kernel reads them.
// at: out[threadIdx.x] = in[threadIdx.x];
#include <cstdio>

__global__ void iota(int* items) { items[threadIdx.x] = threadIdx.x; }

__global__ void copy(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  int* d_in;
  cudaMallocAsync(&d_in, 64 * sizeof(int), 0);
  iota<<<1, 64>>>(d_in);
  cudaFreeAsync(d_in, 0);
  copy<<<1, 64>>>(d_in, d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[63] == 63 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
