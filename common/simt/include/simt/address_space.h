// SPDX-License-Identifier: MIT
// The device's address spaces. All pointers are generic; only shared memory has short addresses of
// its own, as inline PTX uses them.
#pragma once

#include <cstddef>

// An address in the block's shared memory, and back. It fits into 32 bits.
std::size_t __cvta_generic_to_shared(const void* pointer);
void* __cvta_shared_to_generic(std::size_t address);
inline std::size_t __cvta_generic_to_global(const void* pointer) {
  return reinterpret_cast<std::size_t>(pointer);
}
inline void* __cvta_global_to_generic(std::size_t address) {
  return reinterpret_cast<void*>(address);
}
inline std::size_t __cvta_generic_to_constant(const void* pointer) {
  return reinterpret_cast<std::size_t>(pointer);
}
inline void* __cvta_constant_to_generic(std::size_t address) {
  return reinterpret_cast<void*>(address);
}

// What a pointer points to. Constants are global memory here.
unsigned __isGlobal(const void* pointer);
unsigned __isShared(const void* pointer);
unsigned __isLocal(const void* pointer);
inline unsigned __isConstant(const void* /*pointer*/) { return 0; }
