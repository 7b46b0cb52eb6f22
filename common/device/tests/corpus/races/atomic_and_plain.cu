// SPDX-License-Identifier: MIT
// race: a plain read of a counter that others update by atomics.
// at: out[threadIdx.x] = count;
// at: atomicAdd(&count, 1);
#include <cstdio>

__global__ void number(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  out[threadIdx.x] = count;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  number<<<1, 64>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] >= 1 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
