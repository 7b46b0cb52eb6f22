// SPDX-License-Identifier: MIT
// barrier_divergence: half of the threads leave a helper in front of its barrier, and go on.
// at: __syncthreads();  // of the helper
#include <cstdio>

__device__ __noinline__ int neighbour(int* tile, int num_items) {
  if (threadIdx.x >= num_items) return 0;
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();  // of the helper
  return tile[threadIdx.x ^ 1];
}

__global__ void exchange(int* out, int num_items) {
  __shared__ int tile[64];
  const int value = neighbour(tile, num_items);
  for (int i = threadIdx.x; i < 64; i += blockDim.x) out[i] = value;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  exchange<<<1, 64>>>(d_out, 32);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[1] == 0 && h_out[63] == 0 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
