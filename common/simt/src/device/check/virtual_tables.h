// SPDX-License-Identifier: MIT
// Finds virtual calls of objects that the host made. Such an object points to the host's table of
// virtual functions, which a GPU cannot call. Only objects that kernels construct in device memory
// are known to be right, and copies of these.
#pragma once

#include <cstddef>
#include <cstdint>

#include "program/access.h"

namespace simt::device {

// A constructor, of a kernel or of the host, is about to write the pointer that is there.
void note_constructed(const void* pointer);

// The host writes, or copies to, [address, address + size_bytes) of the device's memory.
void forget_device_objects(std::uintptr_t address, std::size_t size_bytes);
void copy_device_objects(std::uintptr_t to, std::uintptr_t from, std::size_t size_bytes);

// A kernel reads the program's own memory. If that is a table of virtual functions, and the object
// whose pointer was read before has the host's, this ends the kernel.
void check_virtual_call(const Access& access);

}  // namespace simt::device
