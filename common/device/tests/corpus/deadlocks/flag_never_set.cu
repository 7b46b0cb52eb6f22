// SPDX-License-Identifier: MIT
// deadlock: block 1 waits for a flag that block 0 sets only for an odd number.
// at: while (atomicAdd(&flag, 0) == 0) {
#include <cstdio>

__device__ int flag;

__global__ void wait(int number, int* out) {
  if (blockIdx.x == 0) {
    if (number % 2 == 1) atomicExch(&flag, 1);
  } else {
    while (atomicAdd(&flag, 0) == 0) {
    }
    out[0] = number;
  }
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  cudaMemset(d_out, 0, sizeof(int));
  wait<<<2, 1>>>(4, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 4 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
