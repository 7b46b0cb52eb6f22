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

// The program has code of which no access can be checked: from now on none is. If set_checks()
// chose checks, says so on stderr. Returns true.
bool expect_unannounced_code();

}  // namespace simt
