// SPDX-License-Identifier: MIT
// right: since Volta, lanes of one mask may meet at two calls of __syncwarp().
#include <cstdio>

__global__ void exchange(int* out) {
  __shared__ int items[32];
  const int lane = threadIdx.x;
  items[lane] = lane;
  if (lane % 2 == 0) {
    __syncwarp();
    out[lane] = items[lane + 1];
  } else {
    __syncwarp();
    out[lane] = items[lane - 1];
  }
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 32 * sizeof(int));
  exchange<<<1, 32>>>(d_out);
  int h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 1 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
