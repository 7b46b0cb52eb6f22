// SPDX-License-Identifier: MIT
// launch_error: cudaMemset writes four times what was allocated.
// at: cudaMemset(d_bytes, 0, 64 * sizeof(int));
#include <cstdio>

int main() {
  char* d_bytes;
  cudaMalloc(&d_bytes, 64 * sizeof(char));
  cudaMemset(d_bytes, 0, 64 * sizeof(int));
  char h_bytes[64] = {};
  cudaMemcpy(h_bytes, d_bytes, sizeof h_bytes, cudaMemcpyDeviceToHost);
  std::puts(h_bytes[63] == 0 ? "PASS" : "FAIL");
  cudaFree(d_bytes);
}
