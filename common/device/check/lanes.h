// SPDX-License-Identifier: MIT
// Sets of lanes, a bit for each.
#pragma once

#include <bit>
#include <cstdint>

namespace check {

inline std::uint32_t lowest(std::uint32_t bits) {
  return static_cast<std::uint32_t>(std::countr_zero(bits));
}
inline std::uint32_t highest(std::uint32_t bits) {
  return 31 - static_cast<std::uint32_t>(std::countl_zero(bits));
}

template <class Visit>
void for_each_lane(std::uint32_t lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(lowest(lanes));
}

}  // namespace check
