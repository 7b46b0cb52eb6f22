// SPDX-License-Identifier: MIT
// What lies where in a block's shared memory: static variables, with unused bytes between them,
// then dynamic shared memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "report/memory_text.h"
#include "run/warp.h"

namespace check {

struct SharedLayout {
  std::vector<report::SharedRoom> variables;  // static ones, by offset
  std::uint64_t dynamic_offset = 0;

  SharedLayout() = default;
  explicit SharedLayout(const code::Function& kernel)
      : dynamic_offset(kernel.dynamic_shared_offset) {
    for (const code::SharedVariable& variable : kernel.shared) {
      variables.push_back({variable.name, variable.offset, variable.size_bytes});
    }
  }

  // The variable that `offset` lies in, or the last one before it; null if there is none.
  const report::SharedRoom* find(std::uint64_t offset) const {
    const auto after = std::ranges::upper_bound(variables, offset, {}, &report::SharedRoom::offset);
    return after == variables.begin() ? nullptr : &*std::prev(after);
  }
};

}  // namespace check
