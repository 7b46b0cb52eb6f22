// SPDX-License-Identifier: MIT
#include "fixture.h"

#include <cstring>

namespace lab_judge {

std::vector<Mistake> chunk_mistakes(const Words& expected, int chunk_items) {
  const auto chunk = static_cast<std::size_t>(chunk_items);
  std::uint32_t poison = 0;
  std::memset(&poison, judge::kPoisonByte, sizeof poison);
  const auto keep = [=](std::size_t first, std::size_t end) {
    Words words(expected.size(), poison);
    end = std::min(end, words.size());
    if (first < end)
      std::copy(expected.begin() + first, expected.begin() + end, words.begin() + first);
    return words;
  };
  return {
      {"the last, partial chunk is left out: round the number of chunks up",
       [=] { return keep(0, expected.size() / chunk * chunk); }},
      {"only the first chunk is done", [=] { return keep(0, chunk); }},
      {"nothing was computed: all words are 0", [=] { return Words(expected.size(), 0); }},
  };
}

}  // namespace lab_judge
