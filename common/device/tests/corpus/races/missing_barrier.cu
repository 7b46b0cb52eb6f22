// SPDX-License-Identifier: MIT
// race: nothing separates the tile's writes from its reads.
// at: out[t] = tile[63 - t];
// at: tile[t] = t;
#include <cstdio>

__global__ void reverse(int* out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  tile[t] = t;
  out[t] = tile[63 - t];
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  reverse<<<1, 64>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 63 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
