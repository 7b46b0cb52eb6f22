// SPDX-License-Identifier: MIT
// The device as a whole, and what a kernel takes of it.
#include <algorithm>
#include <cstring>

#include "client.h"
#include "registry.h"

namespace {

constexpr int kNumMultiprocessors = 16;
constexpr std::size_t kMaxShared = std::size_t{227} << 10;

int blocks_per_multiprocessor(int threads, std::size_t shared_bytes) {
  if (threads < 1 || threads > 1024 || shared_bytes > kMaxShared) return 0;
  const int warps = (threads + 31) / 32;
  const auto by_shared = static_cast<int>((std::size_t{228} << 10) / (shared_bytes + 1024));
  return std::min({2048 / (warps * 32), by_shared, 32});
}

}  // namespace

extern "C" {

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess
                     : runtime::finish(cudaErrorInvalidDevice, "cudaSetDevice", RUNTIME_PLACE);
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0)
    return runtime::finish(cudaErrorInvalidDevice, "cudaDeviceGetAttribute", RUNTIME_PLACE);
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = kNumMultiprocessors;
      break;
    case cudaDevAttrMaxThreadsPerBlock:
      *value = 1024;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = 48 << 10;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = 227 << 10;
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = 228 << 10;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = 2048;
      break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      *value = 32;
      break;
    case cudaDevAttrWarpSize:
      *value = 32;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = 9;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = 0;
      break;
    case cudaDevAttrCooperativeLaunch:
      *value = 1;
      break;
    case cudaDevAttrMaxGridDimX:
      *value = 2147483647;
      break;
    case cudaDevAttrMaxGridDimY:
      *value = 65535;
      break;
    case cudaDevAttrMaxGridDimZ:
      *value = 65535;
      break;
    case cudaDevAttrMaxBlockDimX:
      *value = 1024;
      break;
    case cudaDevAttrMaxBlockDimY:
      *value = 1024;
      break;
    case cudaDevAttrMaxBlockDimZ:
      *value = 64;
      break;
    case cudaDevAttrMaxRegistersPerBlock:
      *value = 65536;
      break;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      *value = 65536;
      break;
    case cudaDevAttrL2CacheSize:
      *value = 60 << 20;
      break;
    case cudaDevAttrConcurrentManagedAccess:
      *value = 1;
      break;
    case cudaDevAttrManagedMemory:
      *value = 1;
      break;
    case cudaDevAttrUnifiedAddressing:
      *value = 1;
      break;
    case cudaDevAttrMemoryPoolsSupported:
      *value = 1;
      break;
    case cudaDevAttrConcurrentKernels:
      *value = 1;
      break;
    default:
      *value = 0;
  }
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device != 0)
    return runtime::finish(cudaErrorInvalidDevice, "cudaGetDeviceProperties", RUNTIME_PLACE);
  std::memset(properties, 0, sizeof *properties);
  std::strcpy(properties->name, "Lockstep");
  properties->totalGlobalMem = std::size_t{4} << 30;
  properties->sharedMemPerBlock = 48 << 10;
  properties->sharedMemPerBlockOptin = kMaxShared;
  properties->sharedMemPerMultiprocessor = 228 << 10;
  properties->regsPerBlock = properties->regsPerMultiprocessor = 65536;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = 1024;
  properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
  properties->maxThreadsDim[2] = 64;
  properties->maxGridSize[0] = 2147483647;
  properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
  properties->totalConstMem = 64 << 10;
  properties->major = 9;
  properties->multiProcessorCount = kNumMultiprocessors;
  properties->maxThreadsPerMultiProcessor = 2048;
  properties->maxBlocksPerMultiProcessor = 32;
  properties->l2CacheSize = 60 << 20;
  properties->concurrentKernels = 1;
  properties->cooperativeLaunch = 1;
  properties->managedMemory = 1;
  properties->unifiedAddressing = 1;
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  const runtime::Kernel* const kernel = runtime::find_kernel(function);
  if (kernel == nullptr) {
    return runtime::finish(cudaErrorInvalidDeviceFunction, "cudaFuncGetAttributes", RUNTIME_PLACE);
  }
  *attributes = {};
  attributes->sharedSizeBytes = kernel->shared_bytes;
  attributes->localSizeBytes = kernel->local_bytes;
  attributes->maxThreadsPerBlock = static_cast<int>(kernel->max_threads);
  attributes->numRegs = static_cast<int>(kernel->num_registers);
  attributes->ptxVersion = attributes->binaryVersion = 90;
  attributes->maxDynamicSharedSizeBytes = kernel->dynamic_limit;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  const serve::Place place = RUNTIME_PLACE;
  runtime::Kernel* const kernel = runtime::find_kernel(function);
  if (kernel == nullptr) {
    return runtime::finish(cudaErrorInvalidDeviceFunction, "cudaFuncSetAttribute", place);
  }
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || static_cast<std::size_t>(value) + kernel->shared_bytes > kMaxShared) {
    return runtime::finish(cudaErrorInvalidValue, "cudaFuncSetAttribute", place);
  }
  kernel->dynamic_limit = value;
  serve::Request request;
  request.size_bytes = static_cast<std::uint64_t>(value);
  return runtime::Client::get().call(serve::Command::kSetSharedLimit, request);
}
cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* num_blocks, const void* function,
                                                          int threads, std::size_t shared_bytes) {
  const runtime::Kernel* const kernel = runtime::find_kernel(function);
  if (kernel == nullptr) {
    return runtime::finish(cudaErrorInvalidDeviceFunction,
                           "cudaOccupancyMaxActiveBlocksPerMultiprocessor", RUNTIME_PLACE);
  }
  *num_blocks = blocks_per_multiprocessor(threads, shared_bytes + kernel->shared_bytes);
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* num_blocks, const void* function, int threads, std::size_t shared_bytes, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(num_blocks, function, threads, shared_bytes);
}

}  // extern "C"
