// SPDX-License-Identifier: MIT
// The device as a whole. There is one, number 0.
#pragma once

#include <cstddef>

#include "lockstep/error.h"
#include "lockstep/properties.h"

#define CUDART_VERSION 12090
#define CUDA_VERSION 12090

#define cudaDeviceScheduleAuto 0x00u
#define cudaDeviceScheduleSpin 0x01u
#define cudaDeviceScheduleYield 0x02u
#define cudaDeviceScheduleBlockingSync 0x04u
#define cudaDeviceBlockingSync cudaDeviceScheduleBlockingSync
#define cudaDeviceMapHost 0x08u
#define cudaDeviceLmemResizeToMax 0x10u

enum cudaDeviceAttr {
#define LOCKSTEP_ATTRIBUTE(name, value) name = value,
#include "lockstep/device_attributes.inc"
#undef LOCKSTEP_ATTRIBUTE
};

enum cudaLimit {
  cudaLimitStackSize = 0,
  cudaLimitPrintfFifoSize = 1,
  cudaLimitMallocHeapSize = 2,
  cudaLimitDevRuntimeSyncDepth = 3,
  cudaLimitDevRuntimePendingLaunchCount = 4,
  cudaLimitMaxL2FetchGranularity = 5,
  cudaLimitPersistingL2CacheSize = 6,
};

enum cudaFuncCache {
  cudaFuncCachePreferNone = 0,
  cudaFuncCachePreferShared = 1,
  cudaFuncCachePreferL1 = 2,
  cudaFuncCachePreferEqual = 3,
};

enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault = 0,
  cudaSharedMemBankSizeFourByte = 1,
  cudaSharedMemBankSizeEightByte = 2,
};

enum cudaDeviceP2PAttr {
  cudaDevP2PAttrPerformanceRank = 1,
  cudaDevP2PAttrAccessSupported = 2,
  cudaDevP2PAttrNativeAtomicSupported = 3,
  cudaDevP2PAttrCudaArrayAccessSupported = 4,
};

enum cudaComputeMode {
  cudaComputeModeDefault = 0,
  cudaComputeModeExclusive = 1,
  cudaComputeModeProhibited = 2,
  cudaComputeModeExclusiveProcess = 3,
};

LOCKSTEP_API cudaError_t cudaGetDeviceCount(int* count);
LOCKSTEP_API cudaError_t cudaGetDevice(int* device);
LOCKSTEP_API cudaError_t cudaSetDevice(int device);
LOCKSTEP_API cudaError_t cudaSetDeviceFlags(unsigned int flags);
LOCKSTEP_API cudaError_t cudaGetDeviceFlags(unsigned int* flags);
LOCKSTEP_API cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags);
LOCKSTEP_API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
LOCKSTEP_API cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted);
LOCKSTEP_API cudaError_t cudaDriverGetVersion(int* version);
LOCKSTEP_API cudaError_t cudaRuntimeGetVersion(int* version);

// Functions of the driver by name. There is one: cuTensorMapEncodeTiled.
enum cudaDriverEntryPointQueryResult {
  cudaDriverEntryPointSuccess = 0,
  cudaDriverEntryPointSymbolNotFound = 1,
  cudaDriverEntryPointVersionNotSufficent = 2,
};
#define cudaEnableDefault 0x0
LOCKSTEP_API cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function,
                                                 unsigned long long flags,
                                                 cudaDriverEntryPointQueryResult* result = nullptr);
LOCKSTEP_API cudaError_t cudaGetDriverEntryPointByVersion(
    const char* symbol, void** function, unsigned int version, unsigned long long flags,
    cudaDriverEntryPointQueryResult* result = nullptr);

// Returns a kernel's fault, if there was one; there is nothing to wait for.
LOCKSTEP_API cudaError_t cudaDeviceSynchronize();
// Frees all device and managed memory and clears all errors, including sticky ones.
LOCKSTEP_API cudaError_t cudaDeviceReset();

// Stored and returned; no limit is enforced.
LOCKSTEP_API cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value);
LOCKSTEP_API cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit);
LOCKSTEP_API cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config);
LOCKSTEP_API cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config);
LOCKSTEP_API cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config);
LOCKSTEP_API cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config);

LOCKSTEP_API cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer_device);
LOCKSTEP_API cudaError_t cudaDeviceEnablePeerAccess(int peer_device, unsigned int flags);
LOCKSTEP_API cudaError_t cudaDeviceDisablePeerAccess(int peer_device);
LOCKSTEP_API cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute,
                                                   int source_device, int destination_device);

// Older names, which CUDA 13 has removed.
inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
inline cudaError_t cudaThreadSetLimit(cudaLimit limit, std::size_t value) {
  return cudaDeviceSetLimit(limit, value);
}
inline cudaError_t cudaThreadGetLimit(std::size_t* value, cudaLimit limit) {
  return cudaDeviceGetLimit(value, limit);
}
inline cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) {
  return cudaDeviceSetCacheConfig(config);
}
inline cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config) {
  return cudaDeviceGetCacheConfig(config);
}

LOCKSTEP_API cudaError_t cudaProfilerStart();
LOCKSTEP_API cudaError_t cudaProfilerStop();
