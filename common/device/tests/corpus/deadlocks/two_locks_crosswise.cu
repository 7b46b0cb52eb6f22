// SPDX-License-Identifier: MIT
// deadlock: two blocks take two locks in opposite orders, and each waits for the other's.
// at: while (atomicCAS(&locks[1 - mine], 0, 1) != 0) {
#include <cstdio>

__device__ int locks[2];
__device__ int num_ready;

__global__ void cross(int* total) {
  const int mine = blockIdx.x;
  while (atomicCAS(&locks[mine], 0, 1) != 0) {
  }
  atomicAdd(&num_ready, 1);
  while (atomicAdd(&num_ready, 0) < 2) {
  }
  while (atomicCAS(&locks[1 - mine], 0, 1) != 0) {
  }
  atomicAdd(total, 1);
}

int main() {
  int* d_total;
  cudaMalloc(&d_total, sizeof(int));
  cudaMemset(d_total, 0, sizeof(int));
  cross<<<2, 1>>>(d_total);
  int h_total = {};
  cudaMemcpy(&h_total, d_total, sizeof h_total, cudaMemcpyDeviceToHost);
  std::puts(h_total == 2 ? "PASS" : "FAIL");
  cudaFree(d_total);
}
