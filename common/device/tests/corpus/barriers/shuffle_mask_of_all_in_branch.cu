// SPDX-License-Identifier: MIT
// barrier_divergence: a full mask in a branch that half of the warp takes; the others leave.
// at: value += __shfl_down_sync(0xffffffffu, value, 8);
#include <cstdio>

__global__ void part(int* out) {
  const int lane = threadIdx.x;
  int value = lane;
  if (lane < 16) value += __shfl_down_sync(0xffffffffu, value, 8);
  out[lane] = value;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 32 * sizeof(int));
  part<<<1, 32>>>(d_out);
  int h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 8 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
