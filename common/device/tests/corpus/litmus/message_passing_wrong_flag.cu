// SPDX-License-Identifier: MIT
// race: the reader waits for a flag that the writer sets before it writes the message.
// at: *message = 42;
// at: out[0] = *message;
#include <cstdio>

__global__ void pass(int* message, int* flag, int* out) {
  if (blockIdx.x == 0) {
    atomicExch(flag, 1);
    __threadfence();
    *message = 42;
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
    out[0] = *message;
  }
}

int main() {
  int* d_words;
  cudaMalloc(&d_words, 64 * sizeof(int));
  cudaMemset(d_words, 0, 64 * sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  pass<<<2, 1>>>(d_words, d_words + 32, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 42 || h_out == 0 ? "PASS" : "FAIL");
  cudaFree(d_words);
  cudaFree(d_out);
}
