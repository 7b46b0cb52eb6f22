// SPDX-License-Identifier: MIT
// Sets of 32 numbers, one per lane: how many are distinct, how they share banks. Loops without
// branches over all lanes are faster than loops over those that take part.
#pragma once

#include <array>
#include <cstdint>

#include "run/monitor.h"

namespace count {

using Numbers = std::array<std::uint32_t, run::kWarpSize>;

// The addresses in units of 2^shift bytes, modulo 2^32: the device's memory has fewer units of a
// sector, and shared memory fewer units of a word. A lane that does not take part has the number of
// the first one that does.
Numbers numbers_of(const run::Access& access, int shift);

// has_all_lanes: none of the numbers stands for a missing lane.
int count_distinct(const Numbers& numbers, bool has_all_lanes);

// Of the lanes' distinct numbers, modulo num_banks: how many the fullest bank has. num_banks: 8, 16
// or 32.
int most_in_a_bank(const Numbers& numbers, std::uint32_t lanes, std::uint32_t num_banks);

// Lanes at the most frequent address.
int most_frequent(const run::Access& access);

}  // namespace count
