// SPDX-License-Identifier: MIT
// barrier_divergence: the mask names lanes that have left the kernel.
// at: value += __shfl_down_sync(0xffffffffu, value, distance);
#include <cstdio>

__global__ void sum(const int* in, int n, int* out) {
  const int lane = threadIdx.x;
  if (lane >= n) return;
  int value = in[lane];
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffu, value, distance);
  if (lane == 0) out[0] = value;
}

int main() {
  int h_in[20];
  for (int i = 0; i < 20; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 20 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, sizeof(int));
  sum<<<1, 32>>>(d_in, 20, d_out);
  int h_out = {};
  cudaMemcpy(&h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out == 190 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_out);
}
