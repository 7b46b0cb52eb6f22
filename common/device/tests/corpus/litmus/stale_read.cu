// SPDX-License-Identifier: MIT
// race: a plain loop waits for a word that another block writes; the compiler reads it once.
// at: while (*flag == 0) {
// at: *flag = 1;
// or: deadlock
#include <cstdio>

__global__ void wait(int* flag, int* out) {
  if (blockIdx.x == 1) {
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    out[0] = 1;
  }
}

int main() {
  int* d_flag;
  cudaMalloc(&d_flag, sizeof(int));
  cudaMemset(d_flag, 0, sizeof(int));
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  wait<<<2, 1>>>(d_flag, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 1 ? "PASS" : "FAIL");
  cudaFree(d_flag);
  cudaFree(d_out);
}
