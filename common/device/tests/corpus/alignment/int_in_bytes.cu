// SPDX-License-Identifier: MIT
// misaligned: an int is read at any byte of a message.
// at: out[threadIdx.x] = *reinterpret_cast<const int*>(message + 5 * threadIdx.x);
#include <cstdio>

__global__ void parse(const char* message, int* out) {
  out[threadIdx.x] = *reinterpret_cast<const int*>(message + 5 * threadIdx.x);
}

int main() {
  char* d_message;
  cudaMalloc(&d_message, 256 * sizeof(char));
  cudaMemset(d_message, 0, 256 * sizeof(char));
  int* d_out;
  cudaMalloc(&d_out, 32 * sizeof(int));
  parse<<<1, 32>>>(d_message, d_out);
  int h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[1] == 0 ? "PASS" : "FAIL");
  cudaFree(d_message);
  cudaFree(d_out);
}
