// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "program/access.h"

namespace simt::device {

// The address of a reference that was bound misaligned for its type, without an access so far; 0:
// none.
extern std::uintptr_t doubtful_reference;

// The access goes through that reference. Ends the kernel.
[[noreturn]] void end_misaligned_reference(const Access& access);

}  // namespace simt::device
