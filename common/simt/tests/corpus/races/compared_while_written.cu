// SPDX-License-Identifier: MIT
// race: memcmp reads all bytes that it compares, one of which another thread writes.
// at: d_same[threadIdx.x] = memcmp(d_text, d_other, size) == 0;
// at: if (threadIdx.x == 0) d_text[0] = 1;
#include <cstdio>
#include <cstring>

__global__ void compare(char* d_text, const char* d_other, int size, int* d_same) {
  if (threadIdx.x == 0) d_text[0] = 1;
  d_same[threadIdx.x] = memcmp(d_text, d_other, size) == 0;
}

int main() {
  char *d_text, *d_other;
  int* d_same;
  cudaMalloc(&d_text, 16);
  cudaMalloc(&d_other, 16);
  cudaMalloc(&d_same, 64 * sizeof(int));
  cudaMemset(d_text, 0, 16);
  cudaMemset(d_other, 0, 16);
  compare<<<1, 64>>>(d_text, d_other, 16, d_same);
  cudaDeviceSynchronize();
  cudaFree(d_text);
  cudaFree(d_other);
  cudaFree(d_same);
}
