// SPDX-License-Identifier: MIT
// race: each half warp waits for itself, and reads the other half's items.
// at: out[lane] = items[31 - lane];
// at: items[lane] = lane;
#include <cstdio>

__global__ void reverse(int* out) {
  __shared__ int items[32];
  const int lane = threadIdx.x;
  items[lane] = lane;
  __syncwarp(lane < 16 ? 0x0000ffffu : 0xffff0000u);
  out[lane] = items[31 - lane];
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 32 * sizeof(int));
  reverse<<<1, 32>>>(d_out);
  int h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 31 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
