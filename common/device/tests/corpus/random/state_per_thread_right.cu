// SPDX-License-Identifier: MIT
// right: each thread has a generator of its own: one seed, another sequence.
#include <curand_kernel.h>

#include <cstdio>

__global__ void throw_darts(unsigned long long seed, int* hits) {
  curandState state;
  curand_init(seed, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
  int inside = 0;
  for (int i = 0; i < 32; ++i) {
    const float x = curand_uniform(&state), y = curand_uniform(&state);
    inside += x * x + y * y < 1;
  }
  atomicAdd(hits, inside);
}

int main() {
  int *d_hits, hits = 0;
  cudaMalloc(&d_hits, sizeof(int));
  cudaMemset(d_hits, 0, sizeof(int));
  throw_darts<<<8, 64>>>(7, d_hits);
  cudaMemcpy(&hits, d_hits, sizeof hits, cudaMemcpyDeviceToHost);
  const double pi = 4.0 * hits / (8 * 64 * 32);
  std::puts(pi > 3.0 && pi < 3.3 ? "PASS" : "FAIL");
  cudaFree(d_hits);
}
