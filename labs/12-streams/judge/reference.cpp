// SPDX-License-Identifier: MIT
#include "reference.h"

#include <algorithm>
#include <numeric>

#include "streams.cuh"

namespace lab_judge {

std::uint32_t mix(std::uint32_t word, int num_rounds) {
  for (int round = 0; round < num_rounds; ++round) word = (word ^ (word >> 15)) * 0x2c1b3c6du + 1;
  return word;
}

Words mixed(const Words& words, int num_rounds) {
  Words result(words.size());
  std::ranges::transform(words, result.begin(),
                         [=](std::uint32_t word) { return mix(word, num_rounds); });
  return result;
}

Words reversed_batches(const Words& words, const std::vector<int>& sizes, int num_rounds) {
  Words result = mixed(words, num_rounds);
  auto first = result.begin();
  for (const int size : sizes) {
    std::reverse(first, first + size);
    first += size;
  }
  return result;
}

Words after_steps(Words words, const Words& keys) {
  const std::size_t count = words.size();
  for (const std::uint32_t key : keys) {
    for (std::uint32_t& word : words) word ^= key;
    for (int pass = 0; pass < 3; ++pass) {
      Words next(count);
      for (std::size_t i = 0; i < count; ++i) {
        next[i] = mix(words[i], 1) + words[(i + 1) % count];
      }
      words = std::move(next);
    }
  }
  return words;
}

Words sums_of(const Words& words) {
  Words sums(words.size());
  std::partial_sum(words.begin(), words.end(), sums.begin());
  return sums;
}

}  // namespace lab_judge
