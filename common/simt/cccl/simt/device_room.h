// SPDX-License-Identifier: MIT
// Where Thrust's vectors and temporary buffers for the device get their memory.
#pragma once

#include <cstdlib>
#include <new>

#include "simt/in_kernel.h"
#include "simt/memory.h"
#include "simt/memory_api.h"

namespace simt {

// In a kernel, where a thread's malloc gives memory of the device, too: that.
inline void* take_device_room(std::size_t size_bytes) {
  if (is_in_kernel()) return std::malloc(size_bytes);
  void* room = nullptr;
  if (size_bytes != 0 && cudaMalloc(&room, size_bytes) != cudaSuccess) return nullptr;
  return room;
}

inline void return_device_room(void* room) {
  if (is_in_kernel()) return std::free(room);
  cudaFree(room);
}

}  // namespace simt
