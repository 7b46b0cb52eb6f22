// SPDX-License-Identifier: MIT
// The kinds of findings by name: judge::kind::kWrongResult is kind::kWrongResult. The emulator and
// the grader use the same list.
#pragma once

#include <algorithm>
#include <string_view>

namespace judge::kind {

#define SIMT_FINDING_KIND(constant, name) inline constexpr const char* constant = name;
#include "../../simt/include/simt/finding_kinds.inc"

inline constexpr std::string_view kAll[] = {
#define SIMT_FINDING_KIND(constant, name) name,
#include "../../simt/include/simt/finding_kinds.inc"
};

inline bool is_known(std::string_view name) {
  return std::ranges::find(kAll, name) != std::end(kAll);
}

}  // namespace judge::kind
