// SPDX-License-Identifier: MIT
// race: all threads draw from one generator, and each call changes its state.
// at: out[threadIdx.x] = curand(state);
#include <curand_kernel.h>

#include <cstdio>

__global__ void start(curandState* state) { curand_init(7, 0, 0, state); }

__global__ void draw(curandState* state, unsigned* out) { out[threadIdx.x] = curand(state); }

int main() {
  curandState* d_state;
  cudaMalloc(&d_state, sizeof(curandState));
  unsigned *d_out, h_out[64];
  cudaMalloc(&d_out, sizeof h_out);
  start<<<1, 1>>>(d_state);
  draw<<<1, 64>>>(d_state, d_out);
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  int num_equal = 0;
  for (int i = 1; i < 64; ++i) num_equal += h_out[i] == h_out[0];
  std::puts(num_equal == 0 ? "PASS" : "FAIL");
  cudaFree(d_state);
  cudaFree(d_out);
}
