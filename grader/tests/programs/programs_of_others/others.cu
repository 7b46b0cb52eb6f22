// SPDX-License-Identifier: MIT
// What the programs of others need is there.
#include <cooperative_groups.h>
#include <cstdio>
#if !defined(__CUDA_RUNTIME_H__) || !defined(__DRIVER_TYPES_H__)
#error no guards
#endif
#if __cplusplus == 201703L
inline __host__ __device__ float lerp(float a, float b, float t) {
  return a + t * (b - a);
}
#endif
namespace cg = cooperative_groups;
__global__ void k(int* p, int n) {
  cg::synchronize(cg::this_thread_block());
  std::printf("%d %d\n", p == nullptr, n);
}
template <class T> __global__ void fill(T* p, T value) { *p = value; }
int main() {
  k<<<1, 1>>>(0, 0);
  int *d;
  cudaMalloc(&d, 4);
  fill<<<1, 1>>>(d, 0);
  cudaFree(d);
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  return p.kernelExecTimeoutEnabled + p.maxTexture2DMipmap[0];
}
