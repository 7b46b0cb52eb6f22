// SPDX-License-Identifier: MIT
// right: one dynamic array carved into pieces of three types, each aligned.
#include <cstdio>

__global__ void carve(double* out, int n) {
  extern __shared__ double doubles[];
  int* ints = reinterpret_cast<int*>(doubles + n);
  char* chars = reinterpret_cast<char*>(ints + n);
  const int t = threadIdx.x;
  doubles[t] = t;
  ints[t] = 2 * t;
  chars[t] = 3;
  __syncthreads();
  const int other = n - 1 - t;
  out[t] = doubles[other] + ints[other] + chars[other];
}

int main() {
  const int n = 64;
  double* d_out;
  cudaMalloc(&d_out, 64 * sizeof(double));
  carve<<<1, n, n*(sizeof(double) + sizeof(int) + sizeof(char))>>>(d_out, n);
  double h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 63 + 126 + 3 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
