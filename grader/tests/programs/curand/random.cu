// SPDX-License-Identifier: MIT
// cuRAND in kernels and on the host: the first words of libcurand 10.4.0's XORWOW generator.
#include <curand.h>
#include <curand_kernel.h>
#include <cstdio>
__global__ void draw(unsigned* out) {
  curandState state;
  curand_init(1234, threadIdx.x, 0, &state);
  out[threadIdx.x] = curand(&state);
}
int main() {
  unsigned *a, *b, h[8];
  cudaMalloc(&a, 16);
  cudaMalloc(&b, 16);
  draw<<<1, 4>>>(a);
  curandGenerator_t g;
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_XORWOW);
  curandSetPseudoRandomGeneratorSeed(g, 1234);
  curandGenerate(g, b, 4);
  curandDestroyGenerator(g);
  cudaMemcpy(h, a, 16, cudaMemcpyDeviceToHost);
  cudaMemcpy(h + 4, b, 16, cudaMemcpyDeviceToHost);
  for (unsigned word : h) std::printf("%u ", word);
  cudaFree(a);
  cudaFree(b);
}
