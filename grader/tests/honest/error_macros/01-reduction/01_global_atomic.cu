// SPDX-License-Identifier: MIT
// style: macros that print and exit, pasted names, #line, hints, a kernel by its address
#include <cstdio>
#include <cstdlib>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"
#define PASTE(a, b) a##b
#define CUDA_CHECK(call)                                                        \
  do {                                                                          \
    cudaError_t e = (call);                                                     \
    if (__builtin_expect(e != cudaSuccess, 0)) {                                \
      perror("cuda");                                                           \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
      exit(EXIT_FAILURE);                                                       \
    }                                                                           \
  } while (0)
namespace lab {
#line 40 "my_kernel.cu"
__global__ void PASTE(sum, _kernel)(const float* d_in, int n, float* d_out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(d_out, d_in[i]);
}
void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch&, cudaStream_t stream) {
  cudaFuncAttributes attributes;
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, (const void*)sum_kernel));
  CUDA_CHECK(cudaMemsetAsync(d_out, 0, sizeof(float), stream));
  if (num_items == 0) return;
  void* args[] = {&d_in, &num_items, &d_out};
  CUDA_CHECK(cudaLaunchKernel((void*)sum_kernel, dim3((num_items + 255) / 256), dim3(256), args, 0,
                              stream));
  CUDA_CHECK(cudaGetLastError());
}
}  // namespace lab
