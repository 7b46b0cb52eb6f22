// SPDX-License-Identifier: MIT
#include "fixture.h"

#include <cstring>

namespace lab_judge {
namespace {

// Mistakes with chunks: words of the right result, and others as they were.
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

}  // namespace

HostCase HostFixture::case_of(int num_items, int chunk_items, const std::string& suffix,
                              const std::function<Words(const Words&)>& right) {
  HostCase made;
  made.h_in = make_words(next_seed(), num_items);
  made.expected = right(made.h_in);
  made.mistakes = chunk_mistakes(made.expected, chunk_items);
  made.mistakes.push_back(
      {"the input comes back: nothing was computed", [words = made.h_in] { return words; }});
  made.h_out = output<std::uint32_t>("h_out" + suffix, num_items);
  made.what = judge::counted(num_items, "item") + " in chunks of " + std::to_string(chunk_items);
  return made;
}

}  // namespace lab_judge
