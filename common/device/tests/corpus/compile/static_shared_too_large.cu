// SPDX-License-Identifier: MIT
// compile_error: more than 48 KiB of static shared memory.
// at: __shared__ float tile[128][128];
#include <cstdio>

__global__ void transpose(const float* in, float* out) {
  __shared__ float tile[128][128];
  const int x = threadIdx.x;
  for (int y = 0; y < 128; ++y) tile[y][x] = in[y * 128 + x];
  __syncthreads();
  for (int y = 0; y < 128; ++y) out[y * 128 + x] = tile[x][y];
}

int main() {
  float* d_in;
  cudaMalloc(&d_in, 16384 * sizeof(float));
  cudaMemset(d_in, 0, 16384 * sizeof(float));
  float* d_out;
  cudaMalloc(&d_out, 16384 * sizeof(float));
  transpose<<<1, 128>>>(d_in, d_out);
  std::puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
