// SPDX-License-Identifier: MIT
// right: each block waits for the one that drew the ticket before its own.
#include <cstdio>

__device__ int next_ticket, now_serving;

__global__ void in_turn(int* out) {
  if (threadIdx.x != 0) return;
  const int ticket = atomicAdd(&next_ticket, 1);
  while (atomicAdd(&now_serving, 0) != ticket) {
  }
  __threadfence();
  out[ticket] = ticket == 0 ? 1 : reinterpret_cast<volatile int*>(out)[ticket - 1] + 1;
  __threadfence();
  atomicAdd(&now_serving, 1);
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 300 * sizeof(int));
  cudaMemset(d_out, 0, 300 * sizeof(int));
  in_turn<<<300, 32>>>(d_out);
  int h_out[300] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[299] == 300 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
