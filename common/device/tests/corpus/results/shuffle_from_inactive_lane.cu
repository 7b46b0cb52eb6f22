// SPDX-License-Identifier: MIT
// wrong_result: the lanes of the mask read lanes outside of it, whose values are undefined.
#include <cstdio>

__global__ void read(int* out) {
  const int lane = threadIdx.x;
  if (lane < 16) out[lane] = __shfl_sync(0x0000ffffu, lane, lane + 16);
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 16 * sizeof(int));
  read<<<1, 32>>>(d_out);
  int h_out[16] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 16 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
