// SPDX-License-Identifier: MIT
// race: all threads store their own value in one place.
// at: *winner = threadIdx.x;
#include <cstdio>

__global__ void choose(int* winner) { *winner = threadIdx.x; }

int main() {
  int* d_winner;
  cudaMalloc(&d_winner, sizeof(int));
  cudaMemset(d_winner, 0, sizeof(int));
  choose<<<1, 64>>>(d_winner);
  int h_winner = {};
  cudaMemcpy(&h_winner, d_winner, sizeof h_winner, cudaMemcpyDeviceToHost);
  std::puts(h_winner == 63 ? "PASS" : "FAIL");
  cudaFree(d_winner);
}
