// SPDX-License-Identifier: MIT
// Kernels as objects of the host: attributes, occupancy, launching by pointer.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "simt/device_api.h"
#include "simt/error.h"
#include "simt/kernel_address.h"
#include "simt/keywords.h"
#include "simt/launch.h"
#include "simt/launch_attributes.h"
#include "simt/properties.h"
#include "simt/stream.h"
#include "simt/vector_types.h"

#define cudaOccupancyDefault 0x00u
#define cudaOccupancyDisableCachingOverride 0x01u

struct cudaFuncAttributes {
  std::size_t sharedSizeBytes;  // always 0: the static shared memory of one kernel is not known
  std::size_t constSizeBytes;
  std::size_t localSizeBytes;
  int maxThreadsPerBlock;
  int numRegs;
  int ptxVersion;
  int binaryVersion;
  int cacheModeCA;
  int maxDynamicSharedSizeBytes;
  int preferredShmemCarveout;
};

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
};

struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
  cudaLaunchAttribute* attrs = nullptr;
  unsigned int numAttrs = 0;
};

namespace simt {

cudaError_t function_attributes(cudaFuncAttributes* attributes);
cudaError_t set_function_attribute(cudaFuncAttribute attribute, int value);
cudaError_t max_active_blocks(int* num_blocks, int threads_per_block, std::size_t shared_bytes);

// Blocks of this shape that one multiprocessor holds at the same time; 0 if it can hold none.
int resident_blocks(int threads_per_block, std::size_t shared_bytes);

// cudaLaunchKernel and cudaLaunchCooperativeKernel. The rewriter calls it with the kernel itself in
// place of its address as void*, so that the parameters' types are known.
//   arguments  one pointer for each parameter, to a value of that type
template <class... Parameters>
cudaError_t launch_by_pointer(LaunchSite site, bool cooperative, void (*kernel)(Parameters...),
                              dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes = 0,
                              cudaStream_t stream = nullptr) {
  LaunchConfig config(grid, block, shared_bytes, stream);
  config.cooperative = cooperative;
  return launch_with_pointers(site, config, kernel, arguments);
}
// The same with a kernel that was cast to void* before.
inline cudaError_t launch_by_pointer(LaunchSite, bool cooperative, const void* kernel, dim3 grid,
                                     dim3 block, void** arguments, std::size_t shared_bytes = 0,
                                     cudaStream_t stream = nullptr) {
  LaunchConfig config(grid, block, shared_bytes, stream);
  config.cooperative = cooperative;
  return launch_address(kernel, config, arguments);
}

}  // namespace simt

namespace simt {

// The launch that `config` describes. cudaErrorNotSupported: it asks for clusters of blocks.
cudaError_t read_config(const cudaLaunchConfig_t& config, LaunchConfig* launch);

}  // namespace simt

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  std::tuple<std::remove_cv_t<Parameters>...> values(std::forward<Arguments>(arguments)...);
  return std::apply(
      [&](auto&... value) {
        void* pointers[] = {&value..., nullptr};
        const simt::LaunchSite site{"cudaLaunchKernelEx", __FILE__, __LINE__};
        simt::LaunchConfig same(config->gridDim, config->blockDim, config->dynamicSmemBytes,
                                config->stream);
        const cudaError_t error = simt::read_config(*config, &same);
        return error != cudaSuccess ? error
                                    : simt::launch_with_pointers(site, same, kernel, pointers);
      },
      values);
}

// The result does not depend on the kernel: all kernels are assumed to use the same registers and
// no static shared memory, and a raised limit of dynamic shared memory applies to all of them.
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel) {
  return simt::function_attributes(attributes);
}
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel, cudaFuncAttribute attribute, int value) {
  return simt::set_function_attribute(attribute, value);
}
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel, cudaFuncCache) {
  return simt::set_last_error(cudaSuccess);
}
template <class Kernel>
cudaError_t cudaFuncSetSharedMemConfig(Kernel, cudaSharedMemConfig) {
  return simt::set_last_error(cudaSuccess);
}

// Blocks of `kernel` that one multiprocessor holds at the same time.
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* num_blocks, Kernel,
                                                          int threads_per_block,
                                                          std::size_t shared_bytes) {
  return simt::max_active_blocks(num_blocks, threads_per_block, shared_bytes);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* num_blocks, Kernel,
                                                                   int threads_per_block,
                                                                   std::size_t shared_bytes,
                                                                   unsigned int) {
  return simt::max_active_blocks(num_blocks, threads_per_block, shared_bytes);
}

// The block size with the most resident threads, and the smallest grid that fills the device with
// it.
//   shared_bytes_of  gives a block's dynamic shared memory for a block size
//   block_size_limit 0: the device's
template <class Kernel, class SharedBytesOf>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* min_grid_size, int* block_size,
                                                           Kernel, SharedBytesOf shared_bytes_of,
                                                           int block_size_limit = 0) {
  if (min_grid_size == nullptr || block_size == nullptr) {
    return simt::set_last_error(cudaErrorInvalidValue);
  }
  int limit = static_cast<int>(simt::kMaxThreadsPerBlock);
  if (block_size_limit > 0 && block_size_limit < limit) limit = block_size_limit;
  int most_threads = 0;
  *min_grid_size = *block_size = 0;
  for (int size = limit; size > 0; size = (size - 1) / simt::kWarpSize * simt::kWarpSize) {
    const int num_blocks = simt::resident_blocks(size, shared_bytes_of(size));
    if (num_blocks * size <= most_threads) continue;
    most_threads = num_blocks * size;
    *block_size = size;
    *min_grid_size = num_blocks * simt::kNumMultiprocessors;
  }
  return simt::set_last_error(cudaSuccess);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* min_grid_size, int* block_size, Kernel kernel,
                                               std::size_t shared_bytes = 0,
                                               int block_size_limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      min_grid_size, block_size, kernel, [shared_bytes](int) { return shared_bytes; },
      block_size_limit);
}
