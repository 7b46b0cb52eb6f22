// SPDX-License-Identifier: MIT
#include "reference.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <string>

#include "diagnosis.h"
#include "protocol/arena.h"

namespace lab_judge {
namespace {

using judge::is_poison;

std::vector<int> kept_items(const Compaction& result) {
  std::vector<int> items;
  std::ranges::copy_if(result.h_in, std::back_inserter(items), result.keep);
  return items;
}

std::vector<int> other_items(const Compaction& result) {
  std::vector<int> items;
  std::ranges::copy_if(result.h_in, std::back_inserter(items), std::not_fn(result.keep));
  return items;
}

std::string place(std::size_t index) { return "d_out[" + std::to_string(index) + "]"; }

// "holds 17, which is d_in[4] and not kept"
std::string describe(const Compaction& result, int got) {
  if (is_poison(got)) return "was never written";
  std::string text = "holds " + std::to_string(got);
  const auto found = std::ranges::find(result.h_in, got);
  if (found == result.h_in.end()) return text + ", which is not an item of the input";
  text += ", which is d_in[" + std::to_string(found - result.h_in.begin()) + "]";
  if (!result.keep(got)) return text + " and not kept";
  return text + " and belongs to " + place(std::count_if(result.h_in.begin(), found, result.keep));
}

// Where h_out first differs from `expected`, which begins at place `first`; or nothing.
std::optional<std::size_t> first_difference(const Compaction& result,
                                            const std::vector<int>& expected, std::size_t first) {
  const auto here = std::ranges::mismatch(expected, std::span(result.h_out).subspan(first)).in1;
  if (here == expected.end()) return std::nullopt;
  return first + (here - expected.begin());
}

// "d_out[5] should hold 3, which is d_in[9], but was never written"
std::string describe_difference(const Compaction& result, std::size_t index, int expected) {
  const auto source = std::ranges::find(result.h_in, expected) - result.h_in.begin();
  return place(index) + " should hold " + std::to_string(expected) + ", which is d_in[" +
         std::to_string(source) + "], but " + describe(result, result.h_out[index]);
}

enum class Order { kKept, kAny };

std::optional<Failure> check_count(const Compaction& result, const std::vector<int>& expected,
                                   Order order) {
  if (result.count == static_cast<int>(expected.size())) return std::nullopt;
  if (is_poison(result.count)) {
    return Failure{judge::kind::kOutputUnwritten, "d_count[0] was never written",
                   explain_unwritten_count(result, expected)};
  }
  std::string message = "expected d_count[0] = " + std::to_string(expected.size()) + ", got " +
                        std::to_string(result.count);
  const auto here = first_difference(result, expected, 0);
  const std::vector<int> got(result.h_out.begin(), result.h_out.begin() + expected.size());
  const bool in_place = !here || (order == Order::kAny && is_permutation_of(expected, got));
  if (in_place && !expected.empty()) {
    message += "; the kept items themselves are in their places";
  } else if (here && order == Order::kKept) {
    message += "; " + describe_difference(result, *here, expected[*here]);
  }
  Failure failure{judge::kind::kWrongResult, message};
  for (const std::string& clause : explain_count(result, in_place)) failure.add_pattern(clause);
  return failure;
}

std::optional<Failure> check_kept(const Compaction& result, const std::vector<int>& expected) {
  const auto index = first_difference(result, expected, 0);
  if (!index) return std::nullopt;
  if (std::ranges::all_of(result.h_out, [](int item) { return is_poison(item); })) {
    return Failure{judge::kind::kOutputUnwritten,
                   "the count is right, but nothing was written to d_out"};
  }
  return Failure{judge::kind::kWrongResult, describe_difference(result, *index, expected[*index]),
                 explain_kept(result, expected)};
}

// Nothing may be written behind the kept items.
std::optional<Failure> check_untouched(const Compaction& result) {
  const auto behind = result.h_out.begin() + result.count;
  const auto touched =
      std::find_if(behind, result.h_out.end(), [](int item) { return !is_poison(item); });
  if (touched == result.h_out.end()) return std::nullopt;
  Failure failure{
      judge::kind::kWrongResult,
      place(touched - result.h_out.begin()) + " is behind the kept items, of which there are " +
          std::to_string(result.count) + ", and was overwritten: it " + describe(result, *touched)};
  if (*touched == 0) {
    failure.pattern = "the rest of d_out, or of a tile, is filled with zeros";
  } else if (!result.keep(*touched)) {
    failure.pattern =
        "items that are not kept are written as well: only their number decides where others go";
  } else {
    failure.pattern = "more of a tile is written than its kept items";
  }
  return failure;
}

}  // namespace

std::optional<Failure> check_compact(const Compaction& result) {
  const std::vector<int> kept = kept_items(result);
  if (auto failure = check_count(result, kept, Order::kKept)) return failure;
  if (auto failure = check_kept(result, kept)) return failure;
  return check_untouched(result);
}

std::optional<Failure> check_partition(const Compaction& result) {
  const std::vector<int> kept = kept_items(result);
  const std::vector<int> others = other_items(result);
  if (auto failure = check_count(result, kept, Order::kKept)) return failure;
  if (auto failure = check_kept(result, kept)) return failure;
  const auto index = first_difference(result, others, kept.size());
  if (!index) return std::nullopt;
  return Failure{judge::kind::kWrongResult,
                 "the kept items are right, but of those behind them, " +
                     describe_difference(result, *index, others[*index - kept.size()]),
                 explain_rest(result, others)};
}

std::optional<Failure> check_unordered(const Compaction& result) {
  const std::vector<int> kept = kept_items(result);
  if (auto failure = check_count(result, kept, Order::kAny)) return failure;
  const std::vector<int> got(result.h_out.begin(), result.h_out.begin() + result.count);
  if (is_permutation_of(kept, got)) return check_untouched(result);
  Failure failure{judge::kind::kWrongResult, ""};
  // Either a place does not hold a kept item, or an item appears too often.
  const auto bad = std::ranges::find_if_not(got, result.keep);
  if (const auto hole = std::ranges::find_if(got, [](int item) { return is_poison(item); });
      hole != got.end()) {
    failure.message = place(hole - got.begin()) + ", in front of the count of " +
                      std::to_string(result.count) + ", was never written";
    failure.pattern =
        hole == got.begin() && std::ranges::all_of(got, [](int item) { return is_poison(item); })
            ? "the items are counted but not written"
            : "several items were given the same place, so that another place stayed empty";
  } else if (bad != got.end()) {
    failure.message = place(bad - got.begin()) + " " + describe(result, *bad);
    failure.pattern = "items are written without a test of the predicate";
  } else {
    std::vector<int> sorted_kept = kept;
    std::vector<int> sorted_got = got;
    std::ranges::sort(sorted_kept);
    std::ranges::sort(sorted_got);
    const auto [missing, surplus] = std::ranges::mismatch(sorted_kept, sorted_got);
    failure.message = std::to_string(std::min(*missing, *surplus)) +
                      (*missing < *surplus ? " is missing from d_out" : " is in d_out too often");
  }
  return failure;
}

}  // namespace lab_judge
