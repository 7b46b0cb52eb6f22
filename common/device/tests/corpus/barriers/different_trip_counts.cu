// SPDX-License-Identifier: MIT
// barrier_divergence: threads take the loop with the barrier a different number of times.
// at: __syncthreads();  // of this round
// at: __syncthreads();  // behind the loop
#include <cstdio>

__global__ void rounds(int* out) {
  __shared__ int total;
  const int t = threadIdx.x;
  if (t == 0) total = 0;
  __syncthreads();
  for (int i = 0; i < 1 + t / 32; ++i) {
    atomicAdd(&total, 1);
    __syncthreads();  // of this round
  }
  __syncthreads();  // behind the loop
  out[t] = t;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  rounds<<<1, 64>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[63] == 63 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
