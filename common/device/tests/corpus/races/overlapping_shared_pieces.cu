// SPDX-License-Identifier: MIT
// race: two pieces of dynamic shared memory overlap, since the second begins 32 items too early.
// at: second[t] = 2 * t;
// at: first[t] = t;
#include <cstdio>

__global__ void pieces(int* out) {
  extern __shared__ int first[];
  int* second = first + blockDim.x / 2;
  const int t = threadIdx.x;
  first[t] = t;
  second[t] = 2 * t;
  __syncthreads();
  out[t] = first[t] + second[t];
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  pieces<<<1, 64, 2 * 64 * sizeof(int)>>>(d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[63] == 189 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
