// SPDX-License-Identifier: MIT
// out_of_bounds: the last round reads the place before the array.
// at: sum += tile[i];
#include <cstdio>

__global__ void sum_down(int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int sum = 0;
  for (int i = 63; i >= -1; --i) sum += tile[i];
  out[threadIdx.x] = sum;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  sum_down<<<1, 64>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 2016 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
