// SPDX-License-Identifier: MIT
// What the host's code may write to, in a worker; see simt/confine.h.
#pragma once

#include "program/access.h"

namespace simt::device {

// Finds out where the program and the libraries lie.
void guard_memory();

// A store of the host's for which is_guarded() holds. Ends the program if it goes to code or
// variables that are not the program's own, and not what manipulators set in std::cout.
void check_guarded_store(const Access& access);

}  // namespace simt::device
