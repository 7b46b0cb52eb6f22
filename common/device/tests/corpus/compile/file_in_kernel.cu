// SPDX-License-Identifier: MIT
// compile_error: a kernel opens a file.
// at: FILE* log = std::fopen("/dev/null", "w");
#include <cstdio>

__global__ void log_kernel(int* out) {
  FILE* log = std::fopen("/dev/null", "w");
  out[0] = log != nullptr;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  log_kernel<<<1, 1>>>(d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 1 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
