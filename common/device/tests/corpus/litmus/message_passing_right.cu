// SPDX-License-Identifier: MIT
// right: message passing with a fence on either side and a volatile flag.
#include <cstdio>

__global__ void pass(int* message, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    *message = 42;
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {
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
  std::puts(h_out == 42 ? "PASS" : "FAIL");
  cudaFree(d_words);
  cudaFree(d_out);
}
