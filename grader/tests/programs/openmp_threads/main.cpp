// SPDX-License-Identifier: MIT
// Threads of OpenMP share the device.
#include <cuda_runtime.h>
#include <omp.h>
#include <cstdio>
void launch(int*, int);
int main() {
  int *d, h = 0;
  cudaMalloc(&d, 4);
  cudaMemset(d, 0, 4);
#pragma omp parallel num_threads(3)
  launch(d, omp_get_thread_num() + 1);
  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
  cudaFree(d);
  std::printf("%d\n", h);
}
