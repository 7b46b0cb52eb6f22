// SPDX-License-Identifier: MIT
// barrier_divergence: the two halves of the block wait at two different barriers.
// at: __syncthreads();  // of the upper half
// at: __syncthreads();  // of the lower half
#include <cstdio>

__global__ void halves(int* out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  tile[t] = t;
  if (t < 32) {
    __syncthreads();  // of the lower half
    out[t] = tile[t + 32];
  } else {
    __syncthreads();  // of the upper half
    out[t] = tile[t - 32];
  }
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  halves<<<1, 64>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 32 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
