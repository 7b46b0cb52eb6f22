// SPDX-License-Identifier: MIT
// uninitialized_read: the second kernel expects shared memory that the first one left.
// at: out[threadIdx.x] = tile[threadIdx.x];
#include <cstdio>

__global__ void store() {
  extern __shared__ int tile[];
  tile[threadIdx.x] = threadIdx.x;
}

__global__ void load(int* out) {
  extern __shared__ int tile[];
  out[threadIdx.x] = tile[threadIdx.x];
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  store<<<1, 64, 256>>>();
  load<<<1, 64, 256>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[63] == 63 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
