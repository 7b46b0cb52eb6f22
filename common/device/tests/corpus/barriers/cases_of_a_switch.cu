// SPDX-License-Identifier: MIT
// barrier_divergence: each case has its own barrier.
// at: __syncthreads();  // of even threads
// at: __syncthreads();  // of odd threads
#include <cstdio>

__global__ void cases(int* out) {
  switch (threadIdx.x % 2) {
    case 0:
      out[threadIdx.x] = 0;
      __syncthreads();  // of even threads
      break;
    default:
      out[threadIdx.x] = 1;
      __syncthreads();  // of odd threads
  }
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  cases<<<1, 64>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[1] == 1 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
