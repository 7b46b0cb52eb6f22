// SPDX-License-Identifier: MIT
// launch_error: the stream was destroyed before the launch.
// at: fill<<<1, 64, 0, stream>>>(d_items);
#include <cstdio>

__global__ void fill(int* items) { items[threadIdx.x] = 1; }

int main() {
  int* d_items;
  cudaMalloc(&d_items, 64 * sizeof(int));
  cudaMemset(d_items, 0, 64 * sizeof(int));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamDestroy(stream);
  fill<<<1, 64, 0, stream>>>(d_items);
  int h_items[64] = {};
  cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
  std::puts(h_items[63] == 1 ? "PASS" : "FAIL");
  cudaFree(d_items);
}
