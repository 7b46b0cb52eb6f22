// SPDX-License-Identifier: MIT
// right: the threads that are active together add once, as a coalesced group.
#include <cooperative_groups.h>

#include <cstdio>

__global__ void count(const int* in, int* counter) {
  if (in[threadIdx.x] % 3 == 0) {
    const auto active = cooperative_groups::coalesced_threads();
    if (active.thread_rank() == 0) atomicAdd(counter, active.size());
  }
}

int main() {
  int h_in[64];
  for (int i = 0; i < 64; ++i) h_in[i] = i;
  int* d_in;
  cudaMalloc(&d_in, 64 * sizeof(int));
  cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
  int* d_counter;
  cudaMalloc(&d_counter, sizeof(int));
  cudaMemset(d_counter, 0, sizeof(int));
  count<<<1, 64>>>(d_in, d_counter);
  int h_counter = {};
  cudaMemcpy(&h_counter, d_counter, sizeof h_counter, cudaMemcpyDeviceToHost);
  std::puts(h_counter == 22 ? "PASS" : "FAIL");
  cudaFree(d_in);
  cudaFree(d_counter);
}
