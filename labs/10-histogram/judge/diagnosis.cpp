// SPDX-License-Identifier: MIT
#include "diagnosis.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "fixture/options.h"
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

// Counts each sample that is wanted.
Counts count_if(const Counted& counted, const std::function<bool(std::size_t index)>& is_wanted) {
  Counts counts(counted.bins.num_bins);
  for (std::size_t i = 0; i < counted.h_samples.size(); ++i) {
    const int bin = counted.bins.bin_of(counted.h_samples[i]);
    if (bin >= 0 && is_wanted(i)) ++counts[bin];
  }
  return counts;
}

// How many of the first samples give these counts, if whole warps have counted them; else 0.
std::size_t counted_first(const Counted& counted) {
  Counts counts(counted.bins.num_bins);
  for (std::size_t i = 0; i < counted.h_samples.size(); ++i) {
    if (i > 0 && i % kMinBlock == 0 && counts == counted.h_counts) return i;
    const int bin = counted.bins.bin_of(counted.h_samples[i]);
    if (bin >= 0 && ++counts[bin] > counted.h_counts[bin]) return 0;
  }
  return 0;
}

// The lanes of a warp whose samples have one bin: how many they are, and which.
struct Group {
  unsigned int size;
  unsigned int lanes;
};
// What rung 04 counts if each group adds this, where lane l has vector l of 32.
Counts count_by_groups(const Counted& counted, const std::function<unsigned int(Group)>& amount) {
  Counts counts(counted.bins.num_bins);
  const std::size_t num_samples = counted.h_samples.size();
  const auto count_warp = [&](std::size_t first, std::size_t step, std::size_t end) {
    std::map<int, Group> groups;
    for (std::size_t lane = 0; lane < kMinBlock && first + lane * step < end; ++lane) {
      Group& group = groups[counted.bins.bin_of(counted.h_samples[first + lane * step])];
      ++group.size;
      group.lanes |= 1U << lane;
    }
    for (const auto& [bin, group] : groups) {
      if (bin >= 0) counts[bin] += amount(group);
    }
  };
  const std::size_t end = num_samples / 4 * 4;
  for (std::size_t first = 0; first < end; first += 4 * kMinBlock) {
    for (std::size_t part = 0; part < 4; ++part) count_warp(first + part, 4, end);
  }
  count_warp(end, 1, num_samples);
  return counts;
}

// Where counts are 0 that should not be, and all others are right. Without a number, because a
// mistake must read the same at every size.
void add_empty_bins(const Counts& got, const Counts& expected, std::vector<std::string>& clauses) {
  std::size_t first = got.size();
  std::size_t last = 0;
  for (std::size_t bin = 0; bin < got.size(); ++bin) {
    if (got[bin] == expected[bin]) continue;
    if (got[bin] != 0) return;
    first = std::min(first, bin);
    last = bin;
  }
  const auto is_zero = [](unsigned int count) { return count == 0; };
  if (!std::all_of(got.begin() + first, got.begin() + last, is_zero)) return;
  const bool is_first = std::all_of(got.begin(), got.begin() + first, is_zero);
  const bool is_last = std::all_of(got.begin() + last, got.end(), is_zero);
  if (is_first) clauses.emplace_back("nothing is counted in the first bin, or the first bins");
  if (is_last) clauses.emplace_back("nothing is counted in the last bin, or the last bins");
  if (!is_first && !is_last) clauses.emplace_back("nothing is counted in some bins in a row");
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
  const auto add = [&](bool fits, const std::string& clause) {
    if (fits && std::ranges::find(clauses, clause) == clauses.end()) clauses.push_back(clause);
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
  if (judge::options().rung.starts_with("04")) {
    const auto groups_add = [&](const std::function<unsigned int(Group)>& amount) {
      return got == count_by_groups(counted, amount);
    };
    add(groups_add([](Group group) { return group.size - 1; }),
        "each group of lanes adds one less than it has lanes");
    add(groups_add([](Group) { return 1U; }), "each group of lanes adds 1, however many it has");
    add(groups_add([](Group group) { return (group.lanes & 1) != 0 ? group.size : 0U; }),
        "only the groups with lane 0 are counted: which lane is the first of the others?");
    add(groups_add([](Group group) {
          const unsigned int first = group.lanes & -group.lanes;
          return (group.lanes & 2 * first) != 0 ? group.size : 0U;
        }),
        "only groups are counted that have the lane after their first one: __ffs counts from 1");
  }
  constexpr std::size_t kFew = 32;  // samples may all be in the bins that are left out
  if (!clauses.empty()) {
    if (num_samples <= kFew) add_empty_bins(got, expected, clauses);
    return clauses;
  }

  Counts weighted = expected;
  for (std::size_t bin = 0; bin < weighted.size(); ++bin) {
    weighted[bin] *= static_cast<unsigned int>(bin);
  }
  add(got == weighted, "each sample adds the number of its bin, not 1");
  add(std::ranges::equal(
          got, expected,
          [](unsigned int one, unsigned int all) { return one == std::min(all, 1U); }),
      "no bin has more than 1: is each sample added, by an atomic?");
  const std::size_t in_vectors = num_samples / 4 * 4;
  for (std::size_t part = 0; part < 4; ++part) {
    add(got == count_if(counted, [&](std::size_t i) { return i % 4 != part || i >= in_vectors; }),
        std::string("of each float4, ") + "xyzw"[part] + " is not counted");
  }
  if (const std::size_t first = counted_first(counted); first != 0 && clauses.empty()) {
    clauses.push_back("only the first " + std::to_string(first) +
                      " samples are counted: does a thread go on to its next one?");
  }
  if (clauses.empty()) add_empty_bins(got, expected, clauses);
  if (clauses.empty()) add_by_total(more, clauses);
  return clauses;
}

}  // namespace lab_judge
