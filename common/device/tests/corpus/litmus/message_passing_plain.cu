// SPDX-License-Identifier: MIT
// race: message passing with plain accesses: block 1 may see the flag and an old message.
// at: *message = 42;
// at: *flag = 1;
// at: out[0] = *flag == 1 ? *message : 42;
#include <cstdio>

__global__ void pass(int* message, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *message = 42;
    *flag = 1;
  } else {
    out[0] = *flag == 1 ? *message : 42;
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
