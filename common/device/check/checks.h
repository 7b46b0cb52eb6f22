// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace check {

// How much of a kernel's work is checked. Barriers are always watched, and no access leaves what is
// allocated.
enum class Checks : std::uint8_t {
  kNone,    // of accesses nothing else; an access outside of all memory ends the kernel
  kMemory,  // bounds, initialisation, alignment, host pointers; no races
  kAll,     // the default
};

}  // namespace check
