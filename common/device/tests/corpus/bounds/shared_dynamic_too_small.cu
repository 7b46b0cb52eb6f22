// SPDX-License-Identifier: MIT
// out_of_bounds: the launch gives bytes, and the kernel needs ints.
// at: tile[threadIdx.x] = threadIdx.x;
#include <cstdio>

__global__ void reverse(int* out) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

int main() {
  const int n = 1024;
  int* d_out;
  cudaMalloc(&d_out, 1024 * sizeof(int));
  reverse<<<1, n, n>>>(d_out);
  int h_out[1024] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 1023 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
