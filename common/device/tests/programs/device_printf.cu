// SPDX-License-Identifier: MIT
// printf and assert in kernels, built-ins as printf arguments, locals named like built-ins.
#include <assert.h>
#include <stdio.h>

#include "check.h"

__global__ void hello() {
  printf("Hello from block %d of %d, thread %d\n", blockIdx.x, gridDim.x, threadIdx.x);
  assert(threadIdx.x < blockDim.x && "thread index out of range");
}

__global__ void dump(const float* values, int n) {
  if (threadIdx.x == 0)
    for (int i = 0; i < n; i++) printf("%d:%5.2f%s", i, values[i], i + 1 < n ? ", " : "\n");
}

int main() {
  dim3 blockDim(2, 1, 1);
  dim3 gridDim = 2;
  hello<<<gridDim, blockDim>>>();
  CHECK_CUDA(cudaDeviceSynchronize());
  float h[3] = {1.5f, -2.25f, 1e3f}, *d;
  CHECK_CUDA(cudaMalloc(&d, sizeof h));
  CHECK_CUDA(cudaMemcpy(d, h, sizeof h, cudaMemcpyDefault));
  dump<<<1, 32>>>(d, 3);
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(cudaFree(d));
  CHECK_CUDA(cudaDeviceReset());
  return 0;
}
