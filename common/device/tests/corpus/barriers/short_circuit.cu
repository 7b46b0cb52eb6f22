// SPDX-License-Identifier: MIT
// barrier_divergence: the vote is the second operand of `&&`, which not all threads evaluate.
// at: if (t < 48 && __syncthreads_count(t % 2) > 10)
#include <cstdio>

__global__ void vote(int* out) {
  const int t = threadIdx.x;
  int value = t;
  if (t < 48 && __syncthreads_count(t % 2) > 10) value = -t;
  out[t] = 2 * value;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  vote<<<1, 64>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[1] == -2 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
