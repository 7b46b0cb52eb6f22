// SPDX-License-Identifier: MIT
// Kernels as objects of the host: attributes and occupancy.
#include <algorithm>

#include "call.h"
#include "connection.h"
#include "device_limits.h"
#include "error_state.h"
#include "launch_attributes.h"
#include "registry.h"

using namespace runtime;

namespace {

cudaError_t check_kernel(const void* function, Kernel** kernel) {
  *kernel = find_kernel(function);
  return *kernel != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

std::size_t static_bytes(const Kernel& kernel) { return kernel.about.static_shared_bytes; }

int max_threads(const Kernel& kernel) {
  const auto most = static_cast<int>(kMaxThreadsPerBlock);
  const auto bound = static_cast<int>(kernel.about.max_threads);
  return bound == 0 ? most : std::min(bound, most);
}

cudaError_t set_limits(Kernel& kernel, std::uint32_t dynamic_limit, std::uint32_t cluster_limit) {
  if (dynamic_limit + static_bytes(kernel) > max_shared_bytes_per_block()) {
    return set_last_error(cudaErrorInvalidValue,
                          std::to_string(dynamic_limit) + " bytes of dynamic and " +
                              std::to_string(static_bytes(kernel)) +
                              " of static shared memory: a block has at most " +
                              std::to_string(max_shared_bytes_per_block()));
  }
  const serve::SetKernelLimits limits = {kernel.about.kernel, dynamic_limit, cluster_limit};
  const cudaError_t error = ask(limits).error;
  if (error == cudaSuccess) {
    kernel.dynamic_limit = dynamic_limit;
    kernel.cluster_limit = cluster_limit;
  }
  return set_last_error(error);
}

template <class Dim>
std::uint64_t blocks_in(const Dim& cluster) {
  return std::uint64_t{cluster.x} * cluster.y * cluster.z;
}

}  // namespace

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  RUNTIME_CALL;
  Kernel* kernel = nullptr;
  if (attributes == nullptr) return set_last_error(cudaErrorInvalidValue);
  if (const cudaError_t error = check_kernel(function, &kernel); error != cudaSuccess) {
    return set_last_error(error);
  }
  cudaFuncAttributes a = {};
  a.sharedSizeBytes = static_bytes(*kernel);
  a.localSizeBytes = kernel->about.local_bytes;
  a.maxThreadsPerBlock = max_threads(*kernel);
  a.numRegs = kRegistersPerThread;
  a.ptxVersion = a.binaryVersion = 10 * kComputeMajor + kComputeMinor;
  a.maxDynamicSharedSizeBytes = static_cast<int>(kernel->dynamic_limit);
  a.preferredShmemCarveout = -1;
  const serve::Size& cluster = kernel->about.cluster;
  if (blocks_in(cluster) > 1) {
    a.clusterDimMustBeSet = 1;
    a.requiredClusterWidth = static_cast<int>(cluster.x);
    a.requiredClusterHeight = static_cast<int>(cluster.y);
    a.requiredClusterDepth = static_cast<int>(cluster.z);
  }
  a.nonPortableClusterSizeAllowed = kernel->cluster_limit > memory::kMaxPortableClusterSize ? 1 : 0;
  *attributes = a;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  RUNTIME_CALL;
  Kernel* kernel = nullptr;
  if (const cudaError_t error = check_kernel(function, &kernel); error != cudaSuccess) {
    return set_last_error(error);
  }
  switch (attribute) {
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      return set_last_error(value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue);
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      if (value != 0 && value != 1) {
        return set_last_error(cudaErrorInvalidValue,
                              "the value is 1, or 0 for clusters of 8 blocks");
      }
      return set_limits(*kernel, kernel->dynamic_limit,
                        value == 1 ? memory::kMaxClusterSize : memory::kMaxPortableClusterSize);
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0) return set_last_error(cudaErrorInvalidValue, "the size is negative");
      return set_limits(*kernel, static_cast<std::uint32_t>(value), kernel->cluster_limit);
    default:
      return set_last_error(cudaErrorInvalidValue, "the emulator has no such attribute to set");
  }
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  RUNTIME_CALL;
  Kernel* kernel = nullptr;
  return set_last_error(check_kernel(function, &kernel));
}

cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  RUNTIME_CALL;
  Kernel* kernel = nullptr;
  return set_last_error(check_kernel(function, &kernel));
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  RUNTIME_CALL;
  Kernel* kernel = nullptr;
  if (name == nullptr) return set_last_error(cudaErrorInvalidValue);
  const cudaError_t error = check_kernel(function, &kernel);
  if (error == cudaSuccess) *name = kernel->mangled.c_str();
  return set_last_error(error);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* num_blocks, const void* function,
                                                          int threads_per_block,
                                                          std::size_t shared_bytes) {
  RUNTIME_CALL;
  Kernel* kernel = nullptr;
  if (const cudaError_t error = check_kernel(function, &kernel); error != cudaSuccess) {
    return set_last_error(error);
  }
  if (num_blocks == nullptr || threads_per_block < 1) return set_last_error(cudaErrorInvalidValue);
  *num_blocks =
      threads_per_block > max_threads(*kernel)
          ? 0
          : blocks_per_multiprocessor(threads_per_block, shared_bytes + static_bytes(*kernel));
  return set_last_error(cudaSuccess);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* num_blocks,
                                                                   const void* function,
                                                                   int threads_per_block,
                                                                   std::size_t shared_bytes,
                                                                   unsigned int) {
  RUNTIME_CALL;
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(num_blocks, function, threads_per_block,
                                                       shared_bytes);
}

cudaError_t cudaOccupancyMaxActiveClusters(int* num_clusters, const void* function,
                                           const cudaLaunchConfig_t* config) {
  RUNTIME_CALL;
  if (num_clusters == nullptr || config == nullptr) return set_last_error(cudaErrorInvalidValue);
  LaunchConfig launch;
  if (const cudaError_t error = read_attributes(*config, &launch); error != cudaSuccess) {
    return error;
  }
  const dim3 block = config->blockDim;
  int num_blocks = 0;
  const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &num_blocks, function, static_cast<int>(block.x * block.y * block.z),
      config->dynamicSmemBytes);
  if (error != cudaSuccess) return error;
  const Kernel& kernel = *find_kernel(function);
  const std::uint64_t named = blocks_in(launch.cluster);
  const std::uint64_t size = named == 1 ? blocks_in(kernel.about.cluster) : named;
  if (size < 1 || size > kernel.cluster_limit) return set_last_error(cudaErrorInvalidClusterSize);
  *num_clusters = g_multiprocessors.count / static_cast<int>(size) * num_blocks;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* num_blocks, const void* function,
                                                 const cudaLaunchConfig_t* config) {
  RUNTIME_CALL;
  Kernel* kernel = nullptr;
  if (const cudaError_t error = check_kernel(function, &kernel); error != cudaSuccess) {
    return set_last_error(error);
  }
  if (num_blocks == nullptr || config == nullptr) return set_last_error(cudaErrorInvalidValue);
  *num_blocks = static_cast<int>(kernel->cluster_limit);
  return set_last_error(cudaSuccess);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* shared_bytes,
                                                      const void* function, int num_blocks,
                                                      int threads_per_block) {
  RUNTIME_CALL;
  Kernel* kernel = nullptr;
  if (const cudaError_t error = check_kernel(function, &kernel); error != cudaSuccess) {
    return set_last_error(error);
  }
  const bool fits = shared_bytes != nullptr && num_blocks >= 1 &&
                    num_blocks <= blocks_per_multiprocessor(threads_per_block, 0);
  if (!fits) return set_last_error(cudaErrorInvalidValue);
  const std::size_t each =
      g_multiprocessors.shared_bytes / static_cast<std::size_t>(num_blocks) / 128 * 128;
  const std::size_t taken = kReservedSharedBytesPerBlock + static_bytes(*kernel);
  const std::size_t left = each > taken ? each - taken : 0;
  *shared_bytes = std::min(left, max_shared_bytes_per_block() - static_bytes(*kernel));
  return set_last_error(cudaSuccess);
}
