// SPDX-License-Identifier: MIT
// Functions of the library that exist only on the host: nvcc refuses their calls in kernels. g++
// does not, and does not announce what they read and write.
#pragma once

#include <cstdint>

namespace simt::device {

// Ends the kernel if one runs; `pc` is the return address of the call.
void end_host_call(const char* function, const void* pc);

// Whether this is the beginning of a door to such a function, which simt_host_calls has made.
bool is_door(std::uintptr_t target);

}  // namespace simt::device
