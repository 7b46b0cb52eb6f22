// SPDX-License-Identifier: MIT
// race: the writer has a fence, and the reader has none behind its relaxed read of the flag.
// at: *message = 42;
// at: out[0] = *message;
// missed: the device takes each volatile or atomic read for an acquiring one.
#include <cstdio>

__global__ void pass(int* message, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *message = 42;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
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
  std::puts(h_out == 42 ? "PASS" : "FAIL");
  cudaFree(d_words);
  cudaFree(d_out);
}
