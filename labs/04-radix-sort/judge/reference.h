// SPDX-License-Identifier: MIT
// The right order of keys.
#pragma once

#include <cstdint>
#include <vector>

namespace lab_judge {

using Keys = std::vector<std::uint32_t>;

// Bits [begin_bit, end_bit) of the key, as a number.
inline std::uint32_t bits_of(std::uint32_t key, int begin_bit, int end_bit) {
  const std::uint64_t mask = (std::uint64_t{1} << (end_bit - begin_bit)) - 1;
  return static_cast<std::uint32_t>(key >> (begin_bit & 31) & mask);
}

// The keys sorted by bits [begin_bit, end_bit), stable.
Keys sorted_by_bits(Keys keys, int begin_bit, int end_bit);

}  // namespace lab_judge
