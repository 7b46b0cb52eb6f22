// SPDX-License-Identifier: MIT
// right: value and flag in one word of 64 bits, which is read and written whole.
#include <cstdio>

__device__ int next_tile;

__global__ void prefix(unsigned long long* states, int* out) {
  if (threadIdx.x != 0) return;
  const int tile = atomicAdd(&next_tile, 1);
  unsigned before = 0;
  if (tile > 0) {
    unsigned long long state;
    do state = atomicAdd(&states[tile - 1], 0ull);
    while (state >> 32 == 0);
    before = static_cast<unsigned>(state);
  }
  atomicExch(&states[tile], 1ull << 32 | (before + tile));
  out[tile] = before;
}

int main() {
  unsigned long long* d_states;
  cudaMalloc(&d_states, 64 * sizeof(unsigned long long));
  cudaMemset(d_states, 0, 64 * sizeof(unsigned long long));
  int* d_out;
  cudaMalloc(&d_out, 64 * sizeof(int));
  prefix<<<64, 32>>>(d_states, d_out);
  int h_out[64] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[63] == 1953 ? "PASS" : "FAIL");
  cudaFree(d_states);
  cudaFree(d_out);
}
