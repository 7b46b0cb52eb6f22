// SPDX-License-Identifier: MIT
// out_of_bounds: a pointer to a local variable is handed to the other threads.
// at: out[threadIdx.x] = *shared_pointer;
#include <cstdio>

__global__ void hand_over(int* out) {
  __shared__ int* shared_pointer;
  int mine = 7 + threadIdx.x;
  if (threadIdx.x == 0) shared_pointer = &mine;
  __syncthreads();
  out[threadIdx.x] = *shared_pointer;
  __syncthreads();
  out[threadIdx.x] += mine;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  hand_over<<<1, 64>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[1] == 15 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
