// SPDX-License-Identifier: MIT
// out_of_bounds: the result was never allocated.
// at: out[threadIdx.x] = threadIdx.x;
#include <cstdio>

__global__ void iota(int* out) { out[threadIdx.x] = threadIdx.x; }

int main() {
  int* d_out = nullptr;
  iota<<<1, 64>>>(d_out);
  std::puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
}
