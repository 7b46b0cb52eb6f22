// SPDX-License-Identifier: MIT
// misaligned: an atomic on an int that begins at an odd byte.
// at: atomicAdd(reinterpret_cast<int*>(bytes + 2), 1);
#include <cstdio>

__global__ void count(char* bytes) { atomicAdd(reinterpret_cast<int*>(bytes + 2), 1); }

int main() {
  char* d_bytes;
  cudaMalloc(&d_bytes, 64 * sizeof(char));
  cudaMemset(d_bytes, 0, 64 * sizeof(char));
  count<<<1, 32>>>(d_bytes);
  char h_bytes[64] = {};
  cudaMemcpy(h_bytes, d_bytes, sizeof h_bytes, cudaMemcpyDeviceToHost);
  std::puts(h_bytes[2] == 32 ? "PASS" : "FAIL");
  cudaFree(d_bytes);
}
