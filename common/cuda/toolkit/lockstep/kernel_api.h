// SPDX-License-Identifier: MIT
// The part of the runtime API that kernels have, for kernels that launch kernels. What they launch
// runs after them, one after another, so streams and events order nothing more here.
#pragma once

#include "lockstep/device_library.h"
#include "lockstep/error.h"
#include "lockstep/event_api.h"
#include "lockstep/machine_calls.h"
#include "lockstep/stream_api.h"
#include "lockstep/vector_types.h"

#ifdef __CUDA__

#define LOCKSTEP_KERNEL_API extern "C" __attribute__((device)) inline

extern "C" {
// Of <<<>>> in a kernel clang makes calls of these.
__attribute__((device)) void* cudaGetParameterBuffer(size_t alignment, size_t size_bytes);
__attribute__((device)) cudaError_t cudaLaunchDevice(void* kernel, void* parameters, dim3 grid,
                                                     dim3 block, unsigned int shared_bytes,
                                                     cudaStream_t stream);
}

LOCKSTEP_KERNEL_API cudaError_t cudaGetLastError() {
  return static_cast<cudaError_t>(__lockstep_last_error(1));
}
LOCKSTEP_KERNEL_API cudaError_t cudaPeekAtLastError() {
  return static_cast<cudaError_t>(__lockstep_last_error(0));
}

LOCKSTEP_KERNEL_API const char* cudaGetErrorName(cudaError_t error) {
  switch (static_cast<int>(error)) {
#define LOCKSTEP_ERROR(name, value, text) \
  case value:                             \
    return #name;
#include "lockstep/error_codes.inc"
#undef LOCKSTEP_ERROR
    default:
      return "unrecognized error code";
  }
}
LOCKSTEP_KERNEL_API const char* cudaGetErrorString(cudaError_t error) {
  switch (static_cast<int>(error)) {
#define LOCKSTEP_ERROR(name, value, text) \
  case value:                             \
    return text;
#include "lockstep/error_codes.inc"
#undef LOCKSTEP_ERROR
    default:
      return "unrecognized error code";
  }
}

LOCKSTEP_KERNEL_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) {
  *stream = nullptr;
  return cudaSuccess;
}
LOCKSTEP_KERNEL_API cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
LOCKSTEP_KERNEL_API cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int = 0) {
  return cudaSuccess;
}
LOCKSTEP_KERNEL_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int) {
  *event = nullptr;
  return cudaSuccess;
}
LOCKSTEP_KERNEL_API cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr) {
  return cudaSuccess;
}
LOCKSTEP_KERNEL_API cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }

LOCKSTEP_KERNEL_API cudaError_t cudaMalloc(void** pointer, size_t size_bytes) {
  *pointer = malloc(size_bytes);
  return *pointer != nullptr || size_bytes == 0 ? cudaSuccess : cudaErrorMemoryAllocation;
}
LOCKSTEP_KERNEL_API cudaError_t cudaFree(void* pointer) {
  free(pointer);
  return cudaSuccess;
}
LOCKSTEP_KERNEL_API cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size_bytes,
                                                cudaMemcpyKind, cudaStream_t = nullptr) {
  memcpy(to, from, size_bytes);
  return cudaSuccess;
}
LOCKSTEP_KERNEL_API cudaError_t cudaMemsetAsync(void* to, int value, size_t size_bytes,
                                                cudaStream_t = nullptr) {
  memset(to, value, size_bytes);
  return cudaSuccess;
}
LOCKSTEP_KERNEL_API cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}

#endif
