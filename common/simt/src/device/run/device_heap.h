// SPDX-License-Identifier: MIT
// malloc, free, new and delete in kernels: memory of the device that stays until a kernel frees it.
#pragma once

#include <cstddef>

namespace simt::device {

// For a kernel's thread. Returns null when the heap has no room.
void* allocate_on_device(std::size_t size_bytes);

// Frees what allocate_on_device() returned; any other pointer ends the kernel. `pc` is the return
// address of the call.
void free_on_device(void* pointer, const void* pc);

// Call at a launch: kernels may allocate.
void open_device_heap();

// After a kernel's early end: no thread is left to free what its threads allocated.
void release_device_heap();

}  // namespace simt::device
