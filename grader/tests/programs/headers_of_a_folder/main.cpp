// SPDX-License-Identifier: MIT
// Files find each other and the headers of a folder that -I names.
#include <cuda_runtime.h>
#include <cstdio>
void go(int*);
int main() {
  int *d, h = 0;
  cudaMalloc(&d, 4);
  go(d);
  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
  cudaFree(d);
  std::printf("%d\n", h);
}
