// SPDX-License-Identifier: MIT
// out_of_bounds: the launch gives no dynamic shared memory at all.
// at: tile[threadIdx.x] = threadIdx.x;
#include <cstdio>

__global__ void reverse(int* out) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  reverse<<<1, 64>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 63 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
