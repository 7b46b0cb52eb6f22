// SPDX-License-Identifier: MIT
#include "diagnosis.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace lab_judge {
namespace {

constexpr std::size_t kMinBlock = 32;
constexpr std::size_t kMaxBlock = 8192;
constexpr int kMaxItemsPastTheEnd = 2048;
constexpr std::size_t kMostItemsWithGaps = 1 << 15;  // each is read once for every block size

struct Hypothesis {
  double value;
  const char* clause;
};

// The result where each block, of every level, combines only some of its items.
double with_gaps(const WrongReduction& wrong, std::size_t block,
                 const std::function<bool(std::size_t)>& is_combined) {
  std::vector<double> level(wrong.num_items);
  for (std::size_t i = 0; i < level.size(); ++i) level[i] = wrong.over(i, i + 1);
  do {
    std::vector<double> results((level.size() + block - 1) / block, wrong.over(0, 0));
    for (std::size_t i = 0; i < level.size(); ++i) {
      double& result = results[i / block];
      if (is_combined(i % block)) result = wrong.combine(result, level[i]);
    }
    level = std::move(results);
  } while (level.size() > 1);
  return level[0];
}

// A tree that lacks a step.
void add_gaps(const WrongReduction& wrong, std::vector<Hypothesis>& list) {
  for (std::size_t block = kMinBlock; block <= kMaxBlock; block *= 2) {
    list.push_back({with_gaps(wrong, block, [&](std::size_t i) { return i < block / 2; }),
                    "each block combines only the first half of its items (does its loop lack a "
                    "step?)"});
    list.push_back({with_gaps(wrong, block, [](std::size_t i) { return i % 2 == 0; }),
                    "each block combines only every second item (does its loop lack a step?)"});
  }
}

// The result where block b begins at item b * num_blocks.
double with_blocks_too_close(const WrongReduction& wrong, std::size_t block) {
  const std::size_t num_blocks = (wrong.num_items + block - 1) / block;
  double result = wrong.over(0, 0);
  for (std::size_t b = 0; b < num_blocks; ++b) {
    const std::size_t begin = std::min(b * num_blocks, wrong.num_items);
    result = wrong.combine(result, wrong.over(begin, std::min(begin + block, wrong.num_items)));
  }
  return result;
}

// The most specific first. No clause contains a number: the same mistake must read the same at
// every size.
std::vector<Hypothesis> hypotheses(const WrongReduction& wrong) {
  const std::size_t n = wrong.num_items;
  std::vector<Hypothesis> list;
  if (n == 0) return list;
  if (!std::has_single_bit(n)) {
    list.push_back({wrong.over(0, std::bit_floor(n)),
                    "only power-of-two lengths are handled: the items behind the largest power of "
                    "two are missing"});
  }
  for (std::size_t block = kMinBlock; block <= kMaxBlock; block *= 2) {
    if (n % block == 0) continue;
    list.push_back({wrong.over(0, n / block * block),
                    "the tail is dropped: the last, partial block's items are missing (does a "
                    "division round down?)"});
  }
  for (std::size_t block = kMinBlock; block < n && block <= kMaxBlock; block *= 2) {
    list.push_back({wrong.over(0, block), "only the first block's items are counted"});
    list.push_back(
        {wrong.over((n - 1) / block * block, n), "only the last block's items are counted"});
  }
  for (std::size_t block = kMinBlock; block < n && block <= kMaxBlock; block *= 2) {
    const std::size_t num_blocks = (n + block - 1) / block;
    list.push_back({static_cast<double>(num_blocks) * wrong.over(0, block),
                    "every block counts the first block's items (is blockIdx missing from the "
                    "index?)"});
  }
  list.push_back({wrong.over(0, n - 1), "the last item is missing (off by one)"});
  list.push_back({wrong.over(1, n), "the first item is missing (off by one)"});
  list.push_back({wrong.over(0, 1), "only the first item arrived"});
  list.push_back(
      {wrong.over(n - 1, n), "only the last item arrived: do the others get overwritten?"});
  if (wrong.combine && n <= kMostItemsWithGaps) {
    add_gaps(wrong, list);
    for (std::size_t block = kMinBlock; block < n && block <= kMaxBlock; block *= 2) {
      list.push_back({with_blocks_too_close(wrong, block),
                      "blocks begin at blockIdx.x * gridDim.x: an index has blockDim.x there"});
    }
  }
  return list;
}

}  // namespace

std::vector<std::string> explain(const WrongReduction& wrong) {
  if (wrong.num_items > 0 && wrong.got == wrong.over(0, 0)) {
    return {"nothing was combined: the result is that of no items"};
  }
  std::vector<std::string> clauses;
  for (const Hypothesis& hypothesis : hypotheses(wrong)) {
    // The mistake gives the right value here, so this case shows nothing.
    if (hypothesis.value != wrong.got || hypothesis.value == wrong.expected) continue;
    if (std::ranges::find(clauses, hypothesis.clause) == clauses.end()) {
      clauses.emplace_back(hypothesis.clause);
    }
  }
  if (!clauses.empty()) return clauses;
  if (wrong.expected != 0 && wrong.got == 2 * wrong.expected) {
    return {"every item is counted twice"};
  }
  const double extra = (wrong.got - wrong.expected) / wrong.past_the_end;
  if (std::abs(extra) >= 0.9 && std::abs(extra - std::round(extra)) < 1e-3 &&
      extra < kMaxItemsPastTheEnd) {
    const bool is_one = std::round(extra) == 1;
    if (is_one && wrong.reads_past_the_end) {
      return {
          "d_out[0] was not set to 0 before the first addition, or the item right past the end of "
          "the input is counted"};
    }
    if (is_one) return {"d_out[0] was never set to 0 before the first addition"};
    if (wrong.reads_past_the_end) return {"items past the end of the input are counted"};
  }
  if (wrong.num_items == 0) return {"the result without items is not the operation's identity"};
  return {};
}

}  // namespace lab_judge
