// SPDX-License-Identifier: MIT
// Addresses as numbers, and the program's own.
#pragma once

#include <cstdint>

// The linker's bounds of the program: code, constants, globals.
extern "C" char __executable_start;
extern "C" char _end;

namespace simt::device {

inline std::uintptr_t number(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

// A code address as 32 bits, and back.
inline std::uint32_t pack_pc(const void* pc) {
  return static_cast<std::uint32_t>(number(pc) - number(&__executable_start));
}
inline const void* unpack_pc(std::uint32_t pc) { return &__executable_start + pc; }

}  // namespace simt::device
