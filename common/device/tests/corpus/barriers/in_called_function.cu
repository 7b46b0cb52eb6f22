// SPDX-License-Identifier: MIT
// barrier_divergence: a helper with a barrier is called by the first 16 threads alone.
// at: __syncthreads();  // of the helper
#include <cstdio>

__device__ int exchange(int* tile, int value) {
  tile[threadIdx.x] = value;
  __syncthreads();  // of the helper
  return tile[threadIdx.x ^ 1];
}

__global__ void some(int* out) {
  __shared__ int tile[64];
  int value = threadIdx.x;
  if (threadIdx.x < 16) value = exchange(tile, value);
  for (int i = 0; i < 4; ++i) value = value * 3 + 1;
  out[threadIdx.x] = value;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  some<<<1, 64>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[1] == 40 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
