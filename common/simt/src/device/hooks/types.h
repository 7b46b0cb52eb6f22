// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "program/access.h"

namespace simt::device {

// Where a reference was bound that is misaligned for its type, which is no access yet; 0: nowhere.
extern std::uintptr_t doubtful_reference;

// The access goes through that reference. Ends the kernel.
[[noreturn]] void end_misaligned_reference(const Access& access);

}  // namespace simt::device
