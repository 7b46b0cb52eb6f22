// SPDX-License-Identifier: MIT
#include "reference.h"

#include <algorithm>

namespace lab_judge {

std::uint32_t bits_of(std::uint32_t key, int begin_bit, int end_bit) {
  const std::uint64_t mask = (std::uint64_t{1} << (end_bit - begin_bit)) - 1;
  return static_cast<std::uint32_t>(key >> (begin_bit & 31) & mask);
}

Keys sorted_by_bits(Keys keys, int begin_bit, int end_bit) {
  std::ranges::stable_sort(keys, {},
                           [=](std::uint32_t key) { return bits_of(key, begin_bit, end_bit); });
  return keys;
}

}  // namespace lab_judge
