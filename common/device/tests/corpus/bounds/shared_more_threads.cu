// SPDX-License-Identifier: MIT
// out_of_bounds: the block has more threads than the shared array has places.
// at: tile[threadIdx.x] = threadIdx.x;
#include <cstdio>

__global__ void reverse(int* out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 256 * sizeof(int));
  reverse<<<1, 256>>>(d_out);
  int h_out[256] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 255 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
