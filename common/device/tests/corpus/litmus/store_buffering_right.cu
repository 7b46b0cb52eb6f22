// SPDX-License-Identifier: MIT
// right: store buffering with atomics and fences: at least one block reads 1.
#include <cstdio>

__global__ void both(int* words, int* out) {
  int* mine = words + 32 * blockIdx.x;
  int* other = words + 32 * (1 - blockIdx.x);
  atomicExch(mine, 1);
  __threadfence();
  out[blockIdx.x] = atomicAdd(other, 0);
}

int main() {
  int* d_words;
  cudaMalloc(&d_words, 64 * sizeof(int));
  cudaMemset(d_words, 0, 64 * sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, 2 * sizeof(int));
  both<<<2, 1>>>(d_words, d_out);
  int h_out[2] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] + h_out[1] >= 1 ? "PASS" : "FAIL");
  cudaFree(d_words);
  cudaFree(d_out);
}
