// SPDX-License-Identifier: MIT
// race: __threadfence_block() orders a thread's own accesses; it waits for no other thread.
// at: out[t] = items[63 - t];
// at: items[t] = t;
#include <cstdio>

__global__ void reverse(int* out) {
  __shared__ int items[64];
  const int t = threadIdx.x;
  items[t] = t;
  __threadfence_block();
  out[t] = items[63 - t];
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
