// SPDX-License-Identifier: MIT
// race: a shuffle exchanges registers; it does not order shared memory.
// at: out[t] = items[31 - t]
// at: items[t] = t;
#include <cstdio>

__global__ void reverse(int* out) {
  __shared__ int items[32];
  const int t = threadIdx.x;
  items[t] = t;
  const int zero = __shfl_sync(0xffffffffu, t, 0);
  out[t] = items[31 - t] + zero;
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
