// SPDX-License-Identifier: MIT
// right: __syncwarp() orders the memory of the lanes in its mask.
#include <cstdio>

__global__ void reverse(int* out) {
  __shared__ int items[32];
  const int t = threadIdx.x;
  items[t] = t;
  __syncwarp();
  out[t] = items[31 - t];
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
