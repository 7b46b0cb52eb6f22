// SPDX-License-Identifier: MIT
// right: the first row's address reaches the whole two-dimensional array.
#include <cstdio>

__global__ void flat(int* out) {
  __shared__ int tile[8][8];
  int* items = reinterpret_cast<int*>(tile);
  items[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 8][threadIdx.x / 8];
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  flat<<<1, 64>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[1] == 8 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
