// SPDX-License-Identifier: MIT
// Included first by code that announces its accesses and basic blocks, and is to run without checks
// all the same. The emulator's own code never includes this.
#pragma once

#include "simt/checks.h"

namespace simt {

inline const bool has_unchecked_code = expect_unchecked_code(true);

}  // namespace simt
