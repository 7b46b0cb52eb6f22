// SPDX-License-Identifier: MIT
// Included first by code that is compiled without the calls that announce accesses and basic
// blocks. It must not poll plain memory: see Project::write in rewriter/project.h. The emulator's
// own code never includes this.
#pragma once

#include "simt/checks.h"

namespace simt {

inline const bool has_unannounced_code = expect_unchecked_code(false);

}  // namespace simt
