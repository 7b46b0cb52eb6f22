// SPDX-License-Identifier: MIT
// right: a message between warps of one block, through a flag in shared memory and fences of the
// block.
#include <cstdio>

__global__ void pass(int* out) {
  __shared__ int message;
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    message = 42;
    __threadfence_block();
    flag = 1;
  } else if (threadIdx.x == 32) {
    while (flag == 0) {
    }
    __threadfence_block();
    out[0] = message;
  }
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  pass<<<1, 64>>>(d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 42 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
