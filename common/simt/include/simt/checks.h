// SPDX-License-Identifier: MIT
// How much of a kernel's work is checked, for programs that would take too long otherwise.
// Barriers, deadlocks and traps are always watched.
#pragma once

#include <cstdint>

namespace simt {

enum class Checks : std::uint8_t {
  kNone,    // of accesses nothing
  kMemory,  // bounds, initialisation, alignment, host pointers; no races
  kAll,     // the default
};
// Takes effect at once. What ran unchecked was not recorded: set it before the first launch.
void set_checks(Checks checks);

// For code that was built to run without checks: from now on no access is checked. If set_checks()
// chose checks, says so on stderr. `is_announced`: the code still announces what it does, because
// its threads may wait for plain memory. Returns true.
bool expect_unchecked_code(bool is_announced);

}  // namespace simt
