// SPDX-License-Identifier: MIT
// right: decoupled look-back: value, fence, flag; and flag, fence, value.
#include <cstdio>

__device__ int next_tile;

__global__ void prefix(volatile int* values, volatile int* flags, int* out) {
  if (threadIdx.x != 0) return;
  const int tile = atomicAdd(&next_tile, 1);
  int before = 0;
  if (tile > 0) {
    while (flags[tile - 1] == 0) {
    }
    __threadfence();
    before = values[tile - 1];
  }
  values[tile] = before + tile;
  __threadfence();
  flags[tile] = 1;
  out[tile] = before;
}

int main() {
  int* d_values;
  cudaMalloc(&d_values, 64 * sizeof(int));
  int* d_flags;
  cudaMalloc(&d_flags, 64 * sizeof(int));
  cudaMemset(d_flags, 0, 64 * sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  prefix<<<64, 32>>>(d_values, d_flags, d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[63] == 1953 ? "PASS" : "FAIL");
  cudaFree(d_values);
  cudaFree(d_flags);
  cudaFree(d_out);
}
