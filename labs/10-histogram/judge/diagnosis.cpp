// SPDX-License-Identifier: MIT
#include "diagnosis.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "protocol/arena.h"

namespace lab_judge {
namespace {

constexpr std::size_t kMinBlock = 32;
constexpr std::size_t kMaxBlock = 16384;
constexpr unsigned int kUnwritten = 0x01010101U * judge::kPoisonByte;

// What each bin has too much, modulo 2^32.
Counts excess(const Counts& h_counts, const Counts& expected) {
  Counts differences(expected.size());
  std::ranges::transform(h_counts, expected, differences.begin(), std::minus<>());
  return differences;
}

bool are_all(const Counts& values, const std::function<bool(unsigned int)>& condition) {
  return std::ranges::all_of(values, condition);
}

// Whether only one bin has too much, and not less than it should.
bool is_all_in(const Counts& more, int bin) {
  constexpr unsigned int kMany = 1U << 31;
  return bin >= 0 && more[bin] > 0 && more[bin] < kMany &&
         std::ranges::count(more, 0U) + 1 == std::ssize(more);
}

// Whether all counts are the same multiple of what they should be, three times or more.
bool is_multiple(const Counts& got, const Counts& expected) {
  const auto largest = std::ranges::max_element(expected);
  if (*largest == 0) return false;
  const unsigned int factor = got[largest - expected.begin()] / *largest;
  return factor > 2 && std::ranges::equal(expected, got, [&](unsigned int one, unsigned int all) {
           return one * factor == all;
         });
}

// What the sum of the counts shows, where nothing more specific fits.
void add_by_total(const Counts& more, std::vector<std::string>& clauses) {
  constexpr unsigned int kMany = 1U << 31;
  const auto has = [&](const auto& condition) { return std::ranges::any_of(more, condition); };
  const bool has_more = has([](unsigned int extra) { return extra != 0 && extra < kMany; });
  const bool has_less = has([](unsigned int extra) { return extra >= kMany; });
  if (has_more && !has_less) {
    clauses.emplace_back(
        "samples are counted more than once: do two threads count the same ones, or does one add "
        "more than it has counted?");
  }
  if (has_less && !has_more) clauses.emplace_back("some samples are not counted");
  if (has_more && has_less && std::accumulate(more.begin(), more.end(), 0U) == 0) {
    clauses.emplace_back("every sample is counted once, but some in the wrong bin");
  }
}

// The counts if samples below the range fall into the first bin, and others outside into the last.
Counts with_outsiders(const Counted& counted, const Counts& expected) {
  Counts counts = expected;
  for (const float sample : counted.h_samples) {
    if (sample < counted.bins.lower) ++counts.front();
    if (sample >= counted.bins.upper) ++counts.back();
  }
  return counts;
}

}  // namespace

std::vector<std::string> explain(const Counted& counted) {
  const Counts& got = counted.h_counts;
  const std::span<const float> samples = counted.h_samples;
  const std::size_t num_samples = samples.size();
  const Counts expected = count_of(samples, counted.bins);
  const Counts more = excess(got, expected);
  std::vector<std::string> clauses;
  const auto add = [&](bool fits, const char* clause) {
    if (fits && std::ranges::find(clauses, clause) == clauses.end()) clauses.emplace_back(clause);
  };
  const auto is_count_of = [&](std::size_t begin, std::size_t end) {
    return got == count_of(samples.subspan(begin, end - begin), counted.bins);
  };

  add(are_all(got, [](unsigned int count) { return count == 0; }), "nothing was counted");
  add(are_all(more, [](unsigned int extra) { return extra == kUnwritten; }),
      "d_counts is not set to 0 before the first addition");
  add(got == with_outsiders(counted, expected),
      "samples outside the range are counted in the first or the last bin");
  add(is_all_in(more, counted.bins.bin_of(0)),
      "zeros past the end of the samples are counted as samples");
  add(more == expected, "every sample is counted twice");
  add(is_multiple(got, expected), "several threads add the same count to the result");
  add(std::equal(got.begin() + 1, got.end(), expected.begin()) && got.size() > 1,
      "every count is one bin too far up");
  add(are_all(more, [](unsigned int extra) { return extra % 0x10000 == 0; }),
      "a counter overflows: 16 bits hold at most 65535");
  add(num_samples % 4 != 0 && is_count_of(0, num_samples / 4 * 4),
      "the last samples are not counted: do they fill no vector of four, or has the grid no thread "
      "for them?");
  for (std::size_t block = kMinBlock; block <= kMaxBlock; block *= 2) {
    if (num_samples > block && num_samples % block != 0) {
      add(is_count_of(0, num_samples / block * block),
          "the tail is dropped: the last, partial block's samples are missing (does a division "
          "round down?)");
    }
    if (num_samples > block) {
      add(is_count_of(0, block), "only the first block's samples are counted");
      add(is_count_of((num_samples - 1) / block * block, num_samples),
          "only the last block's samples are counted: do blocks overwrite each other's counts?");
    }
  }
  if (clauses.empty()) add_by_total(more, clauses);
  return clauses;
}

}  // namespace lab_judge
