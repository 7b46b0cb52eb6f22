// SPDX-License-Identifier: MIT
// Closures that outlive the launch: in streams, graphs and nested launches. Only for the emulator.
#pragma once

#include <cstring>
#include <new>

#include "simt/launch.h"

namespace simt::detail {

// A new object, which drop() ends. Moves where that is possible.
inline void* keep(const Closure& closure) {
  if (closure.keep != nullptr) return closure.keep(closure.object);
  return std::memcpy(::operator new(closure.size_bytes), closure.object, closure.size_bytes);
}

inline void drop(const Closure& closure) {
  if (closure.drop != nullptr) return closure.drop(closure.object);
  ::operator delete(closure.object);
}

}  // namespace simt::detail
