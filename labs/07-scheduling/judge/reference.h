// SPDX-License-Identifier: MIT
// Shared by the references of several rungs.
#pragma once

#include <cstdint>

namespace lab_judge {

// How many units hold `items`; neither is negative, and a unit is at least 1.
inline std::int64_t divide_up(std::int64_t items, std::int64_t unit) {
  return (items + unit - 1) / unit;
}

}  // namespace lab_judge
