// SPDX-License-Identifier: MIT
#include "diagnosis.h"

#include <bit>
#include <cmath>
#include <vector>

namespace lab_judge {
namespace {

constexpr std::size_t kMinBlock = 32;
constexpr std::size_t kMaxBlock = 8192;
constexpr int kMaxItemsPastTheEnd = 2048;

struct Hypothesis {
  double value;
  const char* clause;
};

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
  return list;
}

}  // namespace

std::string explain(const WrongReduction& wrong) {
  if (wrong.num_items > 0 && wrong.got == wrong.over(0, 0)) {
    return "nothing was combined: the result is that of no items";
  }
  for (const Hypothesis& hypothesis : hypotheses(wrong)) {
    // The mistake gives the right value here, so this case shows nothing.
    if (hypothesis.value == wrong.got && hypothesis.value != wrong.expected)
      return hypothesis.clause;
  }
  if (wrong.expected != 0 && wrong.got == 2 * wrong.expected) return "every item is counted twice";
  const double extra = (wrong.got - wrong.expected) / wrong.past_the_end;
  if (std::abs(extra) >= 0.9 && std::abs(extra - std::round(extra)) < 1e-3 &&
      extra < kMaxItemsPastTheEnd) {
    const bool is_one = std::round(extra) == 1;
    if (is_one && wrong.reads_past_the_end) {
      return "d_out[0] was not set to 0 before the first addition, or the item right past the end "
             "of the input is counted";
    }
    if (is_one) return "d_out[0] was never set to 0 before the first addition";
    if (wrong.reads_past_the_end) return "items past the end of the input are counted";
  }
  if (wrong.num_items == 0) return "the result without items is not the operation's identity";
  return {};
}

}  // namespace lab_judge
