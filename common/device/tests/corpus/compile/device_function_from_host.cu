// SPDX-License-Identifier: MIT
// compile_error: the host calls a function that exists only on the device.
// at: std::printf("%d\n", twice(21));
#include <cstdio>

__device__ int twice(int x) { return 2 * x; }

__global__ void kernel(int* out) { out[0] = twice(21); }

int main() {
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  kernel<<<1, 1>>>(d_out);
  std::printf("%d\n", twice(21));
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 42 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
