// SPDX-License-Identifier: MIT
// out_of_bounds: a function gets a pointer to a thread's own array, and writes one element too far.
// at: for (int i = 0; i <= n; ++i) items[i] = i;
#include <cstdio>

__device__ __noinline__ void fill(int* items, int n) {
  for (int i = 0; i <= n; ++i) items[i] = i;
}

__global__ void fill_kernel(int n, int* out) {
  int best[4];
  int other[4] = {};
  fill(best, n);
  out[threadIdx.x] = best[n - 1] + other[n - 1];
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 32 * sizeof(int));
  fill_kernel<<<1, 32>>>(4, d_out);
  int h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 3 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
