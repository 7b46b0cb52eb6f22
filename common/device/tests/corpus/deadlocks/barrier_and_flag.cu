// SPDX-License-Identifier: MIT
// deadlock: thread 0 waits for a flag that thread 1 sets only behind the barrier.
// at: while (*flag == 0) {
#include <cstdio>

__global__ void wait(volatile int* flag) {
  if (threadIdx.x == 0)
    while (*flag == 0) {
    }
  __syncthreads();
  if (threadIdx.x == 1) *flag = 1;
}

int main() {
  int* d_flag;
  cudaMalloc(&d_flag, sizeof(int));
  cudaMemset(d_flag, 0, sizeof(int));
  wait<<<1, 64>>>(d_flag);
  int h_flag = {};
  cudaMemcpy(&h_flag, d_flag, sizeof h_flag, cudaMemcpyDeviceToHost);
  std::puts(h_flag == 1 ? "PASS" : "FAIL");
  cudaFree(d_flag);
}
