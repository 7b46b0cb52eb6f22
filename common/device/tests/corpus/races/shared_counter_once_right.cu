// SPDX-License-Identifier: MIT
// right: one thread resets the counter between two barriers, round after round.
#include <cstdio>

__global__ void count(const int* items, int* out) {
  __shared__ int odd;
  for (int round = 0; round < 4; ++round) {
    if (threadIdx.x == 0) odd = 0;
    __syncthreads();
    if (items[64 * round + threadIdx.x] % (round + 2) == 1) atomicAdd(&odd, 1);
    __syncthreads();
    if (threadIdx.x == 0) out[round] = odd;
  }
}

int main() {
  int h_items[256];
  for (int i = 0; i < 256; ++i) h_items[i] = i;
  int* d_items;
  cudaMalloc(&d_items, 256 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  int* d_out;
  cudaMalloc(&d_out, 4 * sizeof(int));
  count<<<1, 64>>>(d_items, d_out);
  int h_out[4] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[0] == 32 ? "PASS" : "FAIL");
  cudaFree(d_items);
  cudaFree(d_out);
}
