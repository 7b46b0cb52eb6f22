// SPDX-License-Identifier: MIT
// barrier_divergence: half of each warp skips the barrier and goes on.
// at: if (t % 32 < 16) __syncthreads();
#include <cstdio>

__global__ void skip(int* out) {
  const int t = threadIdx.x;
  int value = t;
  if (t % 32 < 16) __syncthreads();
  for (int i = 0; i < 4; ++i) value = value * 3 + 1;
  out[t] = value;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  skip<<<1, 64>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 40 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
