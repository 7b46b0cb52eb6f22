// SPDX-License-Identifier: MIT
// CUB's allocator with a cache. Here it keeps nothing: memory that is reused would hide mistakes.
#pragma once

#include <cuda_runtime.h>

#include "cub/util_debug.cuh"

namespace cub {

struct CachingDeviceAllocator {
  explicit CachingDeviceAllocator(bool /*skip_cleanup*/ = false, bool /*debug*/ = false) {}
  CachingDeviceAllocator(unsigned /*bin_growth*/, unsigned /*min_bin*/ = 1,
                         unsigned /*max_bin*/ = ~0U, std::size_t /*max_cached_bytes*/ = ~0UL,
                         bool /*skip_cleanup*/ = false, bool /*debug*/ = false) {}

  cudaError_t DeviceAllocate(void** pointer, std::size_t size_bytes,
                             cudaStream_t /*active*/ = nullptr) {
    return cudaMalloc(pointer, size_bytes);
  }
  cudaError_t DeviceFree(void* pointer) { return cudaFree(pointer); }
  cudaError_t FreeAllCached() { return cudaSuccess; }
};

}  // namespace cub
