// SPDX-License-Identifier: MIT
// right: each half warp shuffles with its own mask in its own branch.
#include <cstdio>

__global__ void sums(int* out) {
  const int lane = threadIdx.x;
  int value = lane;
  if (lane < 16) {
    for (int i = 8; i > 0; i /= 2) value += __shfl_xor_sync(0x0000ffffu, value, i);
  } else {
    for (int i = 8; i > 0; i /= 2) value -= __shfl_xor_sync(0xffff0000u, value, i);
  }
  out[lane] = value;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 32 * sizeof(int));
  sums<<<1, 32>>>(d_out);
  int h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[5] == 120 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
