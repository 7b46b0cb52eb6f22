// SPDX-License-Identifier: MIT
// right: 64 KiB of dynamic shared memory, after cudaFuncSetAttribute.
#include <cstdio>

__global__ void reverse(int* out) {
  extern __shared__ int tile[];
  for (int i = threadIdx.x; i < 16384; i += blockDim.x) tile[i] = i;
  __syncthreads();
  out[threadIdx.x] = tile[16383 - threadIdx.x];
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 256 * sizeof(int));
  cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  reverse<<<1, 256, 65536>>>(d_out);
  int h_out[256] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 16383 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
