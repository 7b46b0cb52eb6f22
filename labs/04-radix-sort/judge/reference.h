// SPDX-License-Identifier: MIT
// The right order of keys.
#pragma once

#include <cstdint>
#include <vector>

namespace lab_judge {

using Keys = std::vector<std::uint32_t>;

std::uint32_t bits_of(std::uint32_t key, int begin_bit, int end_bit);

// The keys sorted by bits [begin_bit, end_bit), stable.
Keys sorted_by_bits(Keys keys, int begin_bit, int end_bit);

}  // namespace lab_judge
