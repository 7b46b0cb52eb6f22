// SPDX-License-Identifier: MIT
// misaligned: doubles begin right behind an odd number of ints.
// at: doubles[threadIdx.x] = threadIdx.x;
#include <cstdio>

__global__ void carve(double* out) {
  extern __shared__ int ints[];
  double* doubles = reinterpret_cast<double*>(ints + 33);
  ints[threadIdx.x] = 1;
  doubles[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = doubles[threadIdx.x] + ints[threadIdx.x];
}

int main() {
  double* d_out;
  cudaMalloc(&d_out, 32 * sizeof(double));
  carve<<<1, 32, 33 * sizeof(int) + 32 * sizeof(double)>>>(d_out);
  double h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[31] == 32 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
