// SPDX-License-Identifier: MIT
// race: __syncwarp() orders one warp; the reader is in the other one.
// at: out[t] = tile[(t + 32) % 64];
// at: tile[t] = t;
#include <cstdio>

__global__ void exchange(int* out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  tile[t] = t;
  __syncwarp();
  out[t] = tile[(t + 32) % 64];
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  exchange<<<1, 64>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 32 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
