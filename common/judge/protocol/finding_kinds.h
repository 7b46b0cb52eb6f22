// SPDX-License-Identifier: MIT
// The kinds of findings by name: judge::kind::kWrongResult is kind::kWrongResult. The emulator and
// the grader use the same list.
#pragma once

namespace judge::kind {

#define SIMT_FINDING_KIND(constant, name) inline constexpr const char* constant = name;
#include "../../simt/include/simt/finding_kinds.inc"

}  // namespace judge::kind
