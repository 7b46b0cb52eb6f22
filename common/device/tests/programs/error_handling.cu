// SPDX-License-Identifier: MIT
// What a program that checks its errors sees: bad launches, bad pointers, bad copies, exhausted
// memory, and how cudaGetLastError and cudaPeekAtLastError report them.
#include <cstring>

#include "check.h"

__global__ void nothing() {}

#define EXPECT_ERROR(call, expected)             \
  do {                                           \
    EXPECT((call) == (expected));                \
    EXPECT(cudaPeekAtLastError() == (expected)); \
    EXPECT(cudaGetLastError() == (expected));    \
    EXPECT(cudaGetLastError() == cudaSuccess);   \
  } while (0)

// cudaErrorInvalidConfiguration, or since CUDA 13 cudaErrorInvalidValue.
#define EXPECT_BAD_LAUNCH(...)                                                        \
  do {                                                                                \
    nothing<<<__VA_ARGS__>>>();                                                       \
    const cudaError_t error = cudaGetLastError();                                     \
    EXPECT(error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidValue); \
    EXPECT(cudaGetLastError() == cudaSuccess);                                        \
  } while (0)

int main() {
  EXPECT_BAD_LAUNCH(1, 2048);
  EXPECT_BAD_LAUNCH(0, 32);
  EXPECT_BAD_LAUNCH(32, 0);
  EXPECT_BAD_LAUNCH(dim3(1, 70000), 32);
  EXPECT_BAD_LAUNCH(1, dim3(1, 1, 65));
  EXPECT_BAD_LAUNCH(1, 1, 100 * 1024);
  nothing<<<1, 32>>>();
  EXPECT(cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);

  char host[64] = {}, *d = nullptr, *unset = nullptr;
  EXPECT_ERROR(cudaMalloc(&unset, (size_t)1 << 50), cudaErrorMemoryAllocation);
  CHECK_CUDA(cudaMalloc(&d, 64));
  EXPECT_ERROR(cudaMemcpy(d, host, 65, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaMemcpy(d, host, 64, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaMemcpy(host, d, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaMemcpy(d, host, 64, (cudaMemcpyKind)17), cudaErrorInvalidMemcpyDirection);
  EXPECT_ERROR(cudaMemset(host, 0, 64), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaSetDevice(99), cudaErrorInvalidDevice);
  EXPECT_ERROR(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20),
               cudaErrorInvalidValue);
  CHECK_CUDA(cudaFree(d));
  EXPECT_ERROR(cudaFree(d), cudaErrorInvalidValue);
  CHECK_CUDA(cudaFree(0));
  EXPECT(strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
  EXPECT(strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument") == 0);
  EXPECT(strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code") == 0);
  return 0;
}
