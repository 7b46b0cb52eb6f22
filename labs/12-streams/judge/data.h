// SPDX-License-Identifier: MIT
// Inputs: words of random bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "fixture/test_data.h"

namespace lab_judge {

using Words = std::vector<std::uint32_t>;

inline Words make_words(std::uint64_t seed, std::size_t count) {
  Words words(count);
  for (std::size_t i = 0; i < count; ++i) {
    words[i] = static_cast<std::uint32_t>(judge::random_bits(seed, i) >> 32);
  }
  return words;
}

}  // namespace lab_judge
