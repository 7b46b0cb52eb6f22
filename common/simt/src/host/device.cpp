// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdio>

#include "capture.h"
#include "run/device_lock.h"
#include "run/stream_order.h"
#include "simt/device_api.h"
#include "simt/error_state.h"
#include "simt/function_api.h"
#include "simt/memory.h"

namespace {

using simt::set_last_error;

unsigned int g_flags = cudaDeviceScheduleAuto;
cudaFuncCache g_cache_config = cudaFuncCachePreferNone;
std::array<std::size_t, 7> g_limits = {
    1024, std::size_t{1} << 20, std::size_t{8} << 20, 2, 2048, 128, 0};
std::size_t g_max_dynamic_shared_bytes = simt::kDefaultSharedBytesPerBlock;  // of any kernel

cudaError_t check_device(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

// Stores `value` where `result` points to, if it points anywhere.
template <class T>
cudaError_t answer(T* result, T value) {
  if (result == nullptr) return set_last_error(cudaErrorInvalidValue);
  *result = value;
  return set_last_error(cudaSuccess);
}

int attribute_value(cudaDeviceAttr attribute) {
  using namespace simt;
  switch (attribute) {
#define SIMT_ATTRIBUTE(name, value, answer) \
  case name:                                \
    return static_cast<int>(answer);
#include "simt/device_attributes.inc"
#undef SIMT_ATTRIBUTE
  }
  return -1;
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) { return answer(count, 1); }
cudaError_t cudaGetDevice(int* device) { return answer(device, 0); }
cudaError_t cudaSetDevice(int device) { return set_last_error(check_device(device)); }
cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) { return cudaSetDevice(device); }
cudaError_t cudaDriverGetVersion(int* version) { return answer(version, CUDA_VERSION); }
cudaError_t cudaRuntimeGetVersion(int* version) { return answer(version, CUDART_VERSION); }
cudaError_t cudaGetDeviceFlags(unsigned int* flags) { return answer(flags, g_flags); }

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  g_flags = flags;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (check_device(device) != cudaSuccess) return set_last_error(cudaErrorInvalidDevice);
  const int found = attribute_value(attribute);
  return found < 0 ? set_last_error(cudaErrorInvalidValue) : answer(value, found);
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return answer(device, 0); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (properties == nullptr) return set_last_error(cudaErrorInvalidValue);
  if (check_device(device) != cudaSuccess) return set_last_error(cudaErrorInvalidDevice);
  cudaDeviceProp p = {};
  std::snprintf(p.name, sizeof(p.name), "Lockstep SIMT emulator");
  p.totalGlobalMem = simt::kDeviceMemoryBytes;
  p.sharedMemPerBlock = simt::kDefaultSharedBytesPerBlock;
  p.sharedMemPerBlockOptin = simt::kMaxSharedBytesPerBlock;
  p.sharedMemPerMultiprocessor = simt::kSharedBytesPerMultiprocessor;
  p.reservedSharedMemPerBlock = simt::kReservedSharedBytesPerBlock;
  p.regsPerBlock = p.regsPerMultiprocessor = simt::kRegistersPerMultiprocessor;
  p.warpSize = simt::kWarpSize;
  p.memPitch = static_cast<std::size_t>(attribute_value(cudaDevAttrMaxPitch));
  p.maxThreadsPerBlock = simt::kMaxThreadsPerBlock;
  std::copy_n(simt::kMaxBlockDim, 3, p.maxThreadsDim);
  std::copy_n(simt::kMaxGridDim, 3, p.maxGridSize);
  p.clockRate = attribute_value(cudaDevAttrClockRate);
  p.memoryClockRate = attribute_value(cudaDevAttrMemoryClockRate);
  p.memoryBusWidth = attribute_value(cudaDevAttrGlobalMemoryBusWidth);
  p.totalConstMem = simt::kConstantBytes;
  p.major = simt::kComputeMajor;
  p.minor = simt::kComputeMinor;
  p.textureAlignment = p.surfaceAlignment = simt::kTextureAlignment;
  p.texturePitchAlignment = simt::kTexturePitchAlignment;
  p.maxTexture1D = p.maxSurface1D = simt::kMaxTexture1D[0];
  p.maxTexture1DLinear = simt::kMaxTexture1DLinear;
  std::copy_n(simt::kMaxTexture2D, 2, p.maxTexture2D);
  std::copy_n(simt::kMaxTexture2D, 2, p.maxSurface2D);
  std::copy_n(simt::kMaxTexture2D, 2, p.maxTexture2DLinear);
  p.maxTexture2DLinear[2] = attribute_value(cudaDevAttrMaxPitch);
  std::copy_n(simt::kMaxTexture3D, 3, p.maxTexture3D);
  std::copy_n(simt::kMaxTexture3D, 3, p.maxSurface3D);
  p.maxTexture1DLayered[0] = p.maxSurface1DLayered[0] = simt::kMaxTexture1DLayered[0];
  p.maxTexture1DLayered[1] = p.maxSurface1DLayered[1] = simt::kMaxTexture1DLayered[2];
  std::copy_n(simt::kMaxTexture2DLayered, 3, p.maxTexture2DLayered);
  std::copy_n(simt::kMaxTexture2DLayered, 3, p.maxSurface2DLayered);
  p.maxTextureCubemap = p.maxSurfaceCubemap = simt::kMaxTexture2DLayered[0];
  p.maxTextureCubemapLayered[0] = p.maxSurfaceCubemapLayered[0] = simt::kMaxTexture2DLayered[0];
  p.maxTextureCubemapLayered[1] = p.maxSurfaceCubemapLayered[1] = simt::kMaxCubemapLayers;
  p.multiProcessorCount = simt::kNumMultiprocessors;
  p.maxThreadsPerMultiProcessor = simt::kMaxThreadsPerMultiprocessor;
  p.maxBlocksPerMultiProcessor = simt::kMaxBlocksPerMultiprocessor;
  p.l2CacheSize = static_cast<int>(simt::kL2CacheBytes);
  p.persistingL2CacheMaxSize = static_cast<int>(simt::kMaxPersistingL2CacheBytes);
  p.accessPolicyMaxWindowSize = static_cast<int>(simt::kMaxAccessPolicyWindowBytes);
  p.singleToDoublePrecisionPerfRatio = 2;
  p.deviceOverlap = p.asyncEngineCount = p.concurrentKernels = 1;
  p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = p.concurrentManagedAccess = 1;
  p.streamPrioritiesSupported = p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.computePreemptionSupported = p.canUseHostPointerForRegisteredMem = 1;
  p.cooperativeLaunch = p.memoryPoolsSupported = 1;
  *properties = p;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaDeviceSynchronize() {
  const simt::internal::DeviceLock lock;
  const cudaError_t error = simt::internal::check_uncaptured();
  if (error == cudaSuccess) simt::internal::host_waits_for_all();
  return set_last_error(error);
}

cudaError_t cudaDeviceReset() {
  const simt::internal::DeviceLock lock;
  simt::internal::host_waits_for_all();
  simt::release_all();
  simt::clear_errors();
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  if (limit < 0 || limit >= static_cast<int>(g_limits.size())) {
    return set_last_error(cudaErrorInvalidValue);
  }
  g_limits[limit] = value;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  if (limit < 0 || limit >= static_cast<int>(g_limits.size())) {
    return set_last_error(cudaErrorInvalidValue);
  }
  return answer(value, g_limits[limit]);
}

std::size_t simt::device_heap_bytes() { return g_limits[cudaLimitMallocHeapSize]; }

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  g_cache_config = config;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return answer(config, g_cache_config);
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return set_last_error(cudaSuccess);
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return answer(config, cudaSharedMemBankSizeFourByte);
}

cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer_device) {
  if (check_device(device) != cudaSuccess || check_device(peer_device) != cudaSuccess) {
    return set_last_error(cudaErrorInvalidDevice);
  }
  return answer(can_access, 0);
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int) {
  return set_last_error(cudaErrorInvalidDevice);  // there is no other device
}

cudaError_t cudaDeviceDisablePeerAccess(int) { return set_last_error(cudaErrorInvalidDevice); }

// Two devices make a pair; one with itself does not.
cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int) {
  return set_last_error(cudaErrorInvalidDevice);
}

cudaError_t cudaProfilerStart() { return set_last_error(cudaSuccess); }
cudaError_t cudaProfilerStop() { return set_last_error(cudaSuccess); }

cudaError_t simt::function_attributes(cudaFuncAttributes* attributes) {
  cudaFuncAttributes a = {};
  a.maxThreadsPerBlock = kMaxThreadsPerBlock;
  a.numRegs = kRegistersPerThread;
  a.ptxVersion = a.binaryVersion = 10 * kComputeMajor + kComputeMinor;
  a.maxDynamicSharedSizeBytes = static_cast<int>(g_max_dynamic_shared_bytes);
  a.preferredShmemCarveout = -1;
  return answer(attributes, a);
}

cudaError_t simt::set_function_attribute(cudaFuncAttribute attribute, int value) {
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
    return set_last_error(value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue);
  }
  const bool fits = attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && value >= 0 &&
                    static_cast<std::size_t>(value) <= kMaxSharedBytesPerBlock;
  if (!fits) return set_last_error(cudaErrorInvalidValue);
  const auto size_bytes = static_cast<std::size_t>(value);
  g_max_dynamic_shared_bytes = std::max(g_max_dynamic_shared_bytes, size_bytes);
  raise_dynamic_shared_limit(size_bytes);
  return set_last_error(cudaSuccess);
}

int simt::resident_blocks(int threads_per_block, std::size_t shared_bytes) {
  return blocks_per_multiprocessor(threads_per_block, shared_bytes);
}

cudaError_t simt::max_active_blocks(int* num_blocks, int threads_per_block,
                                    std::size_t shared_bytes) {
  if (threads_per_block < 1) return set_last_error(cudaErrorInvalidValue);
  return answer(num_blocks, resident_blocks(threads_per_block, shared_bytes));
}
