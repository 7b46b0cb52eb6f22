// SPDX-License-Identifier: MIT
// Allocating and querying memory. Errors are those of a device: cudaErrorMemoryAllocation when the
// presented memory is used up, cudaErrorInvalidValue for pointers that are not a live allocation's
// base (a double free, an interior pointer, the wrong kind of memory).
#pragma once

#include <cstddef>

#include "lockstep/error.h"
#include "lockstep/stream.h"

#define cudaHostAllocDefault 0x00u
#define cudaHostAllocPortable 0x01u
#define cudaHostAllocMapped 0x02u
#define cudaHostAllocWriteCombined 0x04u
#define cudaHostRegisterDefault 0x00u
#define cudaHostRegisterPortable 0x01u
#define cudaHostRegisterMapped 0x02u
#define cudaHostRegisterIoMemory 0x04u
#define cudaHostRegisterReadOnly 0x08u
#define cudaMemAttachGlobal 0x01u
#define cudaMemAttachHost 0x02u
#define cudaMemAttachSingle 0x04u
#define cudaCpuDeviceId (-1)
#define cudaInvalidDeviceId (-2)

enum cudaMemoryType {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3,
};

struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void* devicePointer;  // null where kernels cannot reach it
  void* hostPointer;    // null where the host cannot
};

// A row-padded array: rows of xsize bytes, each `pitch` bytes after
// the last, in slices of ysize rows.
struct cudaPitchedPtr {
  void* ptr;
  std::size_t pitch, xsize, ysize;
};

struct cudaExtent {
  std::size_t width, height, depth;  // width in bytes
};

inline cudaPitchedPtr make_cudaPitchedPtr(void* ptr, std::size_t pitch, std::size_t xsize,
                                          std::size_t ysize) {
  return {ptr, pitch, xsize, ysize};
}
inline cudaExtent make_cudaExtent(std::size_t width, std::size_t height, std::size_t depth) {
  return {width, height, depth};
}

enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseUnsetReadMostly = 2,
  cudaMemAdviseSetPreferredLocation = 3,
  cudaMemAdviseUnsetPreferredLocation = 4,
  cudaMemAdviseSetAccessedBy = 5,
  cudaMemAdviseUnsetAccessedBy = 6,
};

enum cudaMemLocationType {
  cudaMemLocationTypeInvalid = 0,
  cudaMemLocationTypeDevice = 1,
  cudaMemLocationTypeHost = 2,
};

struct cudaMemLocation {
  cudaMemLocationType type;
  int id;
};

// Device memory, 256-byte aligned, holding a poison pattern. size 0 succeeds with a null pointer.
LOCKSTEP_API cudaError_t cudaMalloc(void** pointer, std::size_t size_bytes);
LOCKSTEP_API cudaError_t cudaFree(void* pointer);  // null is fine
LOCKSTEP_API cudaError_t cudaMallocAsync(void** pointer, std::size_t size_bytes,
                                         cudaStream_t stream);
LOCKSTEP_API cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream);
LOCKSTEP_API cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch,
                                         std::size_t width_bytes, std::size_t height);
LOCKSTEP_API cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent);

// Memory that both sides can use; managed memory is freed with cudaFree, pinned with cudaFreeHost.
LOCKSTEP_API cudaError_t cudaMallocManaged(void** pointer, std::size_t size_bytes,
                                           unsigned int flags = cudaMemAttachGlobal);
LOCKSTEP_API cudaError_t cudaMallocHost(void** pointer, std::size_t size_bytes);
LOCKSTEP_API cudaError_t cudaHostAlloc(void** pointer, std::size_t size_bytes, unsigned int flags);
LOCKSTEP_API cudaError_t cudaFreeHost(void* pointer);
LOCKSTEP_API cudaError_t cudaHostRegister(void* pointer, std::size_t size_bytes,
                                          unsigned int flags);
LOCKSTEP_API cudaError_t cudaHostUnregister(void* pointer);
LOCKSTEP_API cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer,
                                                  unsigned int flags);
LOCKSTEP_API cudaError_t cudaHostGetFlags(unsigned int* flags, void* host_pointer);

LOCKSTEP_API cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes);
LOCKSTEP_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes,
                                                  const void* pointer);

// Hints: their arguments are checked; they have no other effect.
LOCKSTEP_API cudaError_t cudaMemAdvise(const void* pointer, std::size_t size_bytes,
                                       cudaMemoryAdvise advice, cudaMemLocation location);
LOCKSTEP_API cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t size_bytes,
                                              cudaMemLocation location, unsigned int flags,
                                              cudaStream_t stream = nullptr);
LOCKSTEP_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer,
                                                  std::size_t size_bytes = 0,
                                                  unsigned int flags = cudaMemAttachSingle);

// As CUDA 12 had them, with a device's number or cudaCpuDeviceId.
inline cudaMemLocation lockstep_location(int device) {
  const bool is_host = device == cudaCpuDeviceId;
  return {is_host ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, is_host ? 0 : device};
}
inline cudaError_t cudaMemAdvise(const void* pointer, std::size_t size_bytes,
                                 cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(pointer, size_bytes, advice, lockstep_location(device));
}
inline cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t size_bytes, int device,
                                        cudaStream_t stream = nullptr) {
  return cudaMemPrefetchAsync(pointer, size_bytes, lockstep_location(device), 0, stream);
}

template <class T>
cudaError_t cudaMalloc(T** pointer, std::size_t size_bytes) {
  return cudaMalloc((void**)pointer, size_bytes);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, std::size_t size_bytes, cudaStream_t stream) {
  return cudaMallocAsync((void**)pointer, size_bytes, stream);
}
template <class T>
cudaError_t cudaMallocPitch(T** pointer, std::size_t* pitch, std::size_t width_bytes,
                            std::size_t height) {
  return cudaMallocPitch((void**)pointer, pitch, width_bytes, height);
}
template <class T>
cudaError_t cudaMallocManaged(T** pointer, std::size_t size_bytes,
                              unsigned int flags = cudaMemAttachGlobal) {
  return cudaMallocManaged((void**)pointer, size_bytes, flags);
}
template <class T>
cudaError_t cudaMallocHost(T** pointer, std::size_t size_bytes,
                           unsigned int flags = cudaHostAllocDefault) {
  if (flags != cudaHostAllocDefault) return cudaHostAlloc((void**)pointer, size_bytes, flags);
  return cudaMallocHost((void**)pointer, size_bytes);
}
inline cudaError_t cudaMallocHost(void** pointer, std::size_t size_bytes, unsigned int flags) {
  return cudaHostAlloc(pointer, size_bytes, flags);
}
template <class T>
cudaError_t cudaHostAlloc(T** pointer, std::size_t size_bytes, unsigned int flags) {
  return cudaHostAlloc((void**)pointer, size_bytes, flags);
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device_pointer, void* host_pointer, unsigned int flags) {
  return cudaHostGetDevicePointer((void**)device_pointer, host_pointer, flags);
}
