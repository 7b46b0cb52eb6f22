// SPDX-License-Identifier: MIT
// Kernels as objects of the host: launches, attributes, occupancy. A kernel is the address of the
// function that stands for it in the program.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "lockstep/device_api.h"
#include "lockstep/error.h"
#include "lockstep/graph_nodes.h"
#include "lockstep/keywords.h"
#include "lockstep/launch_attributes.h"
#include "lockstep/stream.h"
#include "lockstep/vector_types.h"

#define cudaOccupancyDefault 0x00u
#define cudaOccupancyDisableCachingOverride 0x01u

struct cudaFuncAttributes {
  std::size_t sharedSizeBytes;
  std::size_t constSizeBytes;
  std::size_t localSizeBytes;
  int maxThreadsPerBlock;
  int numRegs;
  int ptxVersion;
  int binaryVersion;
  int cacheModeCA;
  int maxDynamicSharedSizeBytes;
  int preferredShmemCarveout;
  int clusterDimMustBeSet;
  int requiredClusterWidth;
  int requiredClusterHeight;
  int requiredClusterDepth;
  int clusterSchedulingPolicyPreference;
  int nonPortableClusterSizeAllowed;
  int reserved[16];
};

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
  cudaFuncAttributeClusterDimMustBeSet = 10,
  cudaFuncAttributeRequiredClusterWidth = 11,
  cudaFuncAttributeRequiredClusterHeight = 12,
  cudaFuncAttributeRequiredClusterDepth = 13,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
  cudaFuncAttributeClusterSchedulingPolicyPreference = 15,
};
enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault = -1,
  cudaSharedmemCarveoutMaxL1 = 0,
  cudaSharedmemCarveoutMaxShared = 100,
};

struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
  cudaLaunchAttribute* attrs = nullptr;
  unsigned int numAttrs = 0;
};

// Launches, as clang's <<<>>> makes them, too. `arguments`: a pointer to each argument.
//   cudaErrorInvalidDeviceFunction      no kernel
//   cudaErrorInvalidConfiguration       a dimension that is 0 or too large, too many threads
//   cudaErrorInvalidValue               too much dynamic shared memory
//   cudaErrorInvalidResourceHandle      no stream
//   cudaErrorCooperativeLaunchTooLarge  a cooperative grid that cannot be resident as a whole
LOCKSTEP_API cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block,
                                          void** arguments, std::size_t shared_bytes = 0,
                                          cudaStream_t stream = nullptr);
LOCKSTEP_API cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block,
                                                     void** arguments, std::size_t shared_bytes = 0,
                                                     cudaStream_t stream = nullptr);
LOCKSTEP_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                             void** arguments);
LOCKSTEP_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel);
LOCKSTEP_API cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute,
                                              int value);
LOCKSTEP_API cudaError_t cudaFuncSetCacheConfig(const void* kernel, cudaFuncCache config);
LOCKSTEP_API cudaError_t cudaFuncSetSharedMemConfig(const void* kernel, cudaSharedMemConfig config);
// The kernel's name, mangled.
LOCKSTEP_API cudaError_t cudaFuncGetName(const char** name, const void* kernel);

// Blocks of `kernel` that one multiprocessor holds at the same time.
LOCKSTEP_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* num_blocks,
                                                                       const void* kernel,
                                                                       int threads_per_block,
                                                                       std::size_t shared_bytes);
LOCKSTEP_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* num_blocks, const void* kernel, int threads_per_block, std::size_t shared_bytes,
    unsigned int flags);
// Clusters of this launch that the device holds at the same time: a cluster's blocks lie on
// multiprocessors of their own.
LOCKSTEP_API cudaError_t cudaOccupancyMaxActiveClusters(int* num_clusters, const void* kernel,
                                                        const cudaLaunchConfig_t* config);
// The most blocks that a cluster of this launch may have.
LOCKSTEP_API cudaError_t cudaOccupancyMaxPotentialClusterSize(int* num_blocks, const void* kernel,
                                                              const cudaLaunchConfig_t* config);
// The dynamic shared memory that each of num_blocks blocks can have on one multiprocessor.
LOCKSTEP_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* shared_bytes,
                                                                   const void* kernel,
                                                                   int num_blocks,
                                                                   int threads_per_block);

// What <<<grid, block, shared_bytes, stream>>> becomes: clang passes the configuration to the
// kernel's stand-in, which gets it back and calls cudaLaunchKernel.
LOCKSTEP_API unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                                      std::size_t shared_bytes = 0,
                                                      CUstream_st* stream = nullptr);
LOCKSTEP_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block,
                                                    std::size_t* shared_bytes, void* stream);

// The same for kernels as they are, of any type.

template <class T>
cudaError_t cudaLaunchKernel(T* kernel, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return cudaLaunchKernel((const void*)kernel, grid, block, arguments, shared_bytes, stream);
}
template <class T>
cudaError_t cudaLaunchCooperativeKernel(T* kernel, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared_bytes = 0,
                                        cudaStream_t stream = nullptr) {
  return cudaLaunchCooperativeKernel((const void*)kernel, grid, block, arguments, shared_bytes,
                                     stream);
}
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  return [&](Parameters... converted) {
    void* pointers[] = {(void*)&converted..., nullptr};
    return cudaLaunchKernelExC(config, (const void*)kernel, pointers);
  }(std::forward<Arguments>(arguments)...);
}
template <class T>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* kernel) {
  return cudaFuncGetAttributes(attributes, (const void*)kernel);
}
template <class T>
cudaError_t cudaFuncSetAttribute(T* kernel, cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute((const void*)kernel, attribute, value);
}
template <class T>
cudaError_t cudaFuncSetCacheConfig(T* kernel, cudaFuncCache config) {
  return cudaFuncSetCacheConfig((const void*)kernel, config);
}
template <class T>
cudaError_t cudaFuncSetSharedMemConfig(T* kernel, cudaSharedMemConfig config) {
  return cudaFuncSetSharedMemConfig((const void*)kernel, config);
}
template <class T>
cudaError_t cudaFuncGetName(const char** name, T* kernel) {
  return cudaFuncGetName(name, (const void*)kernel);
}
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* num_blocks, T* kernel,
                                                          int threads_per_block,
                                                          std::size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(num_blocks, (const void*)kernel,
                                                       threads_per_block, shared_bytes);
}
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* num_blocks, T* kernel,
                                                                   int threads_per_block,
                                                                   std::size_t shared_bytes,
                                                                   unsigned int flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      num_blocks, (const void*)kernel, threads_per_block, shared_bytes, flags);
}
template <class T>
cudaError_t cudaOccupancyMaxActiveClusters(int* num_clusters, T* kernel,
                                           const cudaLaunchConfig_t* config) {
  return cudaOccupancyMaxActiveClusters(num_clusters, (const void*)kernel, config);
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* num_blocks, T* kernel,
                                                 const cudaLaunchConfig_t* config) {
  return cudaOccupancyMaxPotentialClusterSize(num_blocks, (const void*)kernel, config);
}
template <class T>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* shared_bytes, T* kernel,
                                                      int num_blocks, int threads_per_block) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(shared_bytes, (const void*)kernel, num_blocks,
                                                   threads_per_block);
}

// The block size with the most resident threads, and the smallest grid that fills the device with
// it.
//   shared_bytes_of  gives a block's dynamic shared memory for a block size
//   block_size_limit 0: the kernel's
template <class T, class SharedBytesOf>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* min_grid_size, int* block_size,
                                                           T* kernel, SharedBytesOf shared_bytes_of,
                                                           int block_size_limit = 0) {
  if (min_grid_size == nullptr || block_size == nullptr) return cudaErrorInvalidValue;
  int device = 0, num_multiprocessors = 0;
  cudaFuncAttributes attributes;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&num_multiprocessors, cudaDevAttrMultiProcessorCount, device);
  }
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, (const void*)kernel);
  if (error != cudaSuccess) return error;
  int limit = attributes.maxThreadsPerBlock;
  if (block_size_limit > 0 && block_size_limit < limit) limit = block_size_limit;
  int most_threads = 0;
  *min_grid_size = *block_size = 0;
  for (int size = limit; size > 0; size = (size - 1) / warpSize * warpSize) {
    int num_blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&num_blocks, (const void*)kernel, size,
                                                          shared_bytes_of(size));
    if (error != cudaSuccess) return error;
    if (num_blocks * size <= most_threads) continue;
    most_threads = num_blocks * size;
    *block_size = size;
    *min_grid_size = num_blocks * num_multiprocessors;
  }
  return cudaSuccess;
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* min_grid_size, int* block_size, T* kernel,
                                               std::size_t shared_bytes = 0,
                                               int block_size_limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      min_grid_size, block_size, kernel, [shared_bytes](int) { return shared_bytes; },
      block_size_limit);
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* min_grid_size, int* block_size,
                                                        T* kernel, std::size_t shared_bytes = 0,
                                                        int block_size_limit = 0,
                                                        unsigned int /*flags*/ = 0) {
  return cudaOccupancyMaxPotentialBlockSize(min_grid_size, block_size, kernel, shared_bytes,
                                            block_size_limit);
}
