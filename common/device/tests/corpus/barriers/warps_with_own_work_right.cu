// SPDX-License-Identifier: MIT
// right: warps take different ways between two barriers that all of them reach.
#include <cstdio>

__global__ void work(int* out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  if (t < 32) {
    tile[t] = t;
    __syncwarp();
    tile[t + 32] = tile[31 - t];
  }
  __syncthreads();
  if (t >= 32) out[t] = tile[t];
  __syncthreads();
  if (t < 32) out[t] = tile[t];
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  work<<<1, 64>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[32] == 31 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
