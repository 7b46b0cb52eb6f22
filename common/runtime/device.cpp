// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdio>

#include "call.h"
#include "capture.h"
#include "connection.h"
#include "device_limits.h"
#include "error_state.h"
#include "stream.h"
#include "waiting.h"

using namespace runtime;

namespace {

unsigned int g_flags = cudaDeviceScheduleAuto;
cudaFuncCache g_cache_config = cudaFuncCachePreferNone;
std::array<std::size_t, 7> g_limits = {
    1024, std::size_t{1} << 20, std::size_t{8} << 20, 2, 2048, 128, 0};

cudaError_t check_device(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

// Stores `value` where `result` points to, if it points anywhere.
template <class T>
cudaError_t answer(T* result, T value) {
  if (result == nullptr) return set_last_error(cudaErrorInvalidValue);
  *result = value;
  return set_last_error(cudaSuccess);
}

int attribute_value(cudaDeviceAttr attribute) {
  switch (attribute) {
#define RUNTIME_ATTRIBUTE(name, answer) \
  case name:                            \
    return static_cast<int>(answer);
#include "device_attributes.inc"
#undef RUNTIME_ATTRIBUTE
  }
  return -1;
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  RUNTIME_CALL;
  return answer(count, 1);
}
cudaError_t cudaGetDevice(int* device) {
  RUNTIME_CALL;
  return answer(device, 0);
}
cudaError_t cudaSetDevice(int device) {
  RUNTIME_CALL;
  return set_last_error(check_device(device));
}
cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) {
  RUNTIME_CALL;
  return cudaSetDevice(device);
}
cudaError_t cudaDriverGetVersion(int* version) {
  RUNTIME_CALL;
  return answer(version, CUDA_VERSION);
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  RUNTIME_CALL;
  return answer(version, CUDART_VERSION);
}
cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  RUNTIME_CALL;
  return answer(flags, g_flags);
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  RUNTIME_CALL;
  g_flags = flags;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  RUNTIME_CALL;
  if (check_device(device) != cudaSuccess) return set_last_error(cudaErrorInvalidDevice);
  const int found = attribute_value(attribute);
  return found < 0 ? set_last_error(cudaErrorInvalidValue) : answer(value, found);
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
  RUNTIME_CALL;
  return answer(device, 0);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  RUNTIME_CALL;
  if (properties == nullptr) return set_last_error(cudaErrorInvalidValue);
  if (check_device(device) != cudaSuccess) return set_last_error(cudaErrorInvalidDevice);
  cudaDeviceProp p = {};
  std::snprintf(p.name, sizeof(p.name), "Lockstep");
  p.totalGlobalMem = kDeviceMemoryBytes;
  p.sharedMemPerBlock = kDefaultSharedBytesPerBlock;
  p.sharedMemPerBlockOptin = max_shared_bytes_per_block();
  p.sharedMemPerMultiprocessor = g_multiprocessors.shared_bytes;
  p.reservedSharedMemPerBlock = kReservedSharedBytesPerBlock;
  p.regsPerBlock = p.regsPerMultiprocessor = kRegistersPerMultiprocessor;
  p.warpSize = kWarpSize;
  p.memPitch = static_cast<std::size_t>(attribute_value(cudaDevAttrMaxPitch));
  p.maxThreadsPerBlock = kMaxThreadsPerBlock;
  std::copy_n(kMaxBlockDim, 3, p.maxThreadsDim);
  std::copy_n(kMaxGridDim, 3, p.maxGridSize);
  p.clockRate = attribute_value(cudaDevAttrClockRate);
  p.memoryClockRate = attribute_value(cudaDevAttrMemoryClockRate);
  p.memoryBusWidth = attribute_value(cudaDevAttrGlobalMemoryBusWidth);
  p.totalConstMem = kConstantBytes;
  p.major = kComputeMajor;
  p.minor = kComputeMinor;
  p.textureAlignment = p.surfaceAlignment = kTextureAlignment;
  p.texturePitchAlignment = kTexturePitchAlignment;
  p.maxTexture1D = p.maxSurface1D = kMaxTexture1D[0];
  p.maxTexture1DLinear = kMaxTexture1DLinear;
  std::copy_n(kMaxTexture2D, 2, p.maxTexture2D);
  std::copy_n(kMaxTexture2D, 2, p.maxSurface2D);
  std::copy_n(kMaxTexture2D, 2, p.maxTexture2DLinear);
  p.maxTexture2DLinear[2] = attribute_value(cudaDevAttrMaxPitch);
  std::copy_n(kMaxTexture3D, 3, p.maxTexture3D);
  std::copy_n(kMaxTexture3D, 3, p.maxSurface3D);
  p.maxTexture1DLayered[0] = p.maxSurface1DLayered[0] = kMaxTexture1DLayered[0];
  p.maxTexture1DLayered[1] = p.maxSurface1DLayered[1] = kMaxTexture1DLayered[2];
  std::copy_n(kMaxTexture2DLayered, 3, p.maxTexture2DLayered);
  std::copy_n(kMaxTexture2DLayered, 3, p.maxSurface2DLayered);
  p.maxTextureCubemap = p.maxSurfaceCubemap = kMaxTexture2DLayered[0];
  p.maxTextureCubemapLayered[0] = p.maxSurfaceCubemapLayered[0] = kMaxTexture2DLayered[0];
  p.maxTextureCubemapLayered[1] = p.maxSurfaceCubemapLayered[1] = kMaxCubemapLayers;
  p.multiProcessorCount = g_multiprocessors.count;
  p.maxThreadsPerMultiProcessor = g_multiprocessors.threads;
  p.maxBlocksPerMultiProcessor = kMaxBlocksPerMultiprocessor;
  p.l2CacheSize = static_cast<int>(g_multiprocessors.l2_bytes);
  p.persistingL2CacheMaxSize = static_cast<int>(max_persisting_l2_bytes());
  p.accessPolicyMaxWindowSize = static_cast<int>(kMaxAccessPolicyWindowBytes);
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
  RUNTIME_CALL;
  note_host_wait();
  const cudaError_t error = check_uncaptured();
  if (error == cudaSuccess) host_waits_for_all();
  return set_last_error(error);
}

cudaError_t cudaDeviceReset() {
  RUNTIME_CALL;
  note_host_wait();
  finish_waiting();
  ask(serve::Reset{});
  clear_errors();
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  RUNTIME_CALL;
  if (limit < 0 || limit >= static_cast<int>(g_limits.size())) {
    return set_last_error(cudaErrorInvalidValue);
  }
  g_limits[limit] = value;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  RUNTIME_CALL;
  if (limit < 0 || limit >= static_cast<int>(g_limits.size())) {
    return set_last_error(cudaErrorInvalidValue);
  }
  return answer(value, g_limits[limit]);
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  RUNTIME_CALL;
  g_cache_config = config;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  RUNTIME_CALL;
  return answer(config, g_cache_config);
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  RUNTIME_CALL;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  RUNTIME_CALL;
  return answer(config, cudaSharedMemBankSizeFourByte);
}

cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer_device) {
  RUNTIME_CALL;
  if (check_device(device) != cudaSuccess || check_device(peer_device) != cudaSuccess) {
    return set_last_error(cudaErrorInvalidDevice);
  }
  return answer(can_access, 0);
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int) {
  RUNTIME_CALL;
  return set_last_error(cudaErrorInvalidDevice);  // there is no other device
}

cudaError_t cudaDeviceDisablePeerAccess(int) {
  RUNTIME_CALL;
  return set_last_error(cudaErrorInvalidDevice);
}

// Two devices make a pair; one with itself does not.
cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int) {
  RUNTIME_CALL;
  return set_last_error(cudaErrorInvalidDevice);
}

cudaError_t cudaProfilerStart() {
  RUNTIME_CALL;
  return set_last_error(cudaSuccess);
}
cudaError_t cudaProfilerStop() {
  RUNTIME_CALL;
  return set_last_error(cudaSuccess);
}
