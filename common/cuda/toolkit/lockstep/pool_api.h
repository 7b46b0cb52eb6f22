// SPDX-License-Identifier: MIT
// Pools, from which cudaMallocAsync takes its memory. All are of the one device and in this
// process.
#pragma once

#include <cstddef>

#include "lockstep/memory_api.h"
#include "lockstep/stream.h"

struct CUmemPoolHandle_st;
typedef CUmemPoolHandle_st* cudaMemPool_t;

enum cudaMemAllocationType {
  cudaMemAllocationTypeInvalid = 0,
  cudaMemAllocationTypePinned = 1,
  cudaMemAllocationTypeManaged = 2,
  cudaMemAllocationTypeMax = 0x7FFFFFFF,
};
enum cudaMemAllocationHandleType {
  cudaMemHandleTypeNone = 0,
  cudaMemHandleTypePosixFileDescriptor = 1,
  cudaMemHandleTypeWin32 = 2,
  cudaMemHandleTypeWin32Kmt = 4,
  cudaMemHandleTypeFabric = 8,
};
enum cudaMemAccessFlags {
  cudaMemAccessFlagsProtNone = 0,
  cudaMemAccessFlagsProtRead = 1,
  cudaMemAccessFlagsProtReadWrite = 3,
};
enum cudaMemPoolAttr {
  cudaMemPoolReuseFollowEventDependencies = 1,    // int
  cudaMemPoolReuseAllowOpportunistic = 2,         // int
  cudaMemPoolReuseAllowInternalDependencies = 3,  // int
  cudaMemPoolAttrReleaseThreshold = 4,            // this and the next ones: std::uint64_t, bytes
  cudaMemPoolAttrReservedMemCurrent = 5,
  cudaMemPoolAttrReservedMemHigh = 6,  // may be set to 0, as may UsedMemHigh
  cudaMemPoolAttrUsedMemCurrent = 7,
  cudaMemPoolAttrUsedMemHigh = 8,
};

struct cudaMemPoolProps {
  cudaMemAllocationType allocType;
  cudaMemAllocationHandleType handleTypes;
  cudaMemLocation location;
  void* win32SecurityAttributes;
  std::size_t maxSize;  // 0: the device's memory
  unsigned short usage;
  unsigned char reserved[54];
};
struct cudaMemAccessDesc {
  cudaMemLocation location;
  cudaMemAccessFlags flags;
};

// cudaErrorInvalidValue for what is not pinned memory of a device, cudaErrorInvalidDevice for
// another device, cudaErrorNotSupported for a pool that other processes may use.
LOCKSTEP_API cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties);
// Its allocations live on. The default pool stays: cudaErrorInvalidValue.
LOCKSTEP_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
LOCKSTEP_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute,
                                                 void* value);
LOCKSTEP_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute,
                                                 void* value);
LOCKSTEP_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t min_bytes_to_keep);
// The device cannot lose the access to its own pool: cudaErrorInvalidDevice.
LOCKSTEP_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* list,
                                              std::size_t count);
LOCKSTEP_API cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                              cudaMemLocation* location);
LOCKSTEP_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device);
LOCKSTEP_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device);
LOCKSTEP_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
// cudaErrorMemoryAllocation beyond the pool's maxSize.
LOCKSTEP_API cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t size_bytes,
                                                 cudaMemPool_t pool, cudaStream_t stream);

template <class T>
cudaError_t cudaMallocFromPoolAsync(T** pointer, std::size_t size_bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void**)pointer, size_bytes, pool, stream);
}
inline cudaError_t cudaMallocAsync(void** pointer, std::size_t size_bytes, cudaMemPool_t pool,
                                   cudaStream_t stream) {
  return cudaMallocFromPoolAsync(pointer, size_bytes, pool, stream);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, std::size_t size_bytes, cudaMemPool_t pool,
                            cudaStream_t stream) {
  return cudaMallocFromPoolAsync(pointer, size_bytes, pool, stream);
}
