// SPDX-License-Identifier: MIT
#include "diagnosis.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "fixture/words.h"

namespace lab_judge {
namespace {

bool are_same(const Items& x, const Items& y) {
  return std::ranges::equal(x, y, [](const lab::Fraction& a, const lab::Fraction& b) {
    return a.numerator == b.numerator && a.denominator == b.denominator;
  });
}

// The items as numbers, in ascending order.
std::vector<std::uint64_t> sorted_bits(const Items& items) {
  std::vector<std::uint64_t> bits;
  for (const lab::Fraction& item : items) bits.push_back(std::bit_cast<std::uint64_t>(item));
  std::ranges::sort(bits);
  return bits;
}

bool has_same_order(const Items& x, const Items& y, lab::Order order) {
  return std::ranges::equal(x, y, [&](const lab::Fraction& a, const lab::Fraction& b) {
    return !comes_before(order, a, b) && !comes_before(order, b, a);
  });
}

Items reversed(Items items) {
  std::ranges::reverse(items);
  return items;
}

// The result if the items of d_b were the first of equal ones.
Items with_b_first(const Problem& problem) {
  Problem other = problem;
  std::ranges::rotate(other.h_in, other.h_in.begin() + other.num_a);
  return expected_of(other);
}

// The result if equal items were in the reverse of their order.
Items with_last_first(const Problem& problem) {
  Problem other = problem;
  if (problem.function != Function::kSortTiles) {
    std::ranges::reverse(other.h_in);
    return expected_of(other);
  }
  Items result;
  for (std::size_t begin = 0; begin < problem.h_in.size(); begin += lab::kTileItems) {
    const std::size_t end = std::min(begin + lab::kTileItems, problem.h_in.size());
    other.h_in.assign(std::reverse_iterator(problem.h_in.begin() + static_cast<int>(end)),
                      std::reverse_iterator(problem.h_in.begin() + static_cast<int>(begin)));
    const Items tile = expected_of(other);
    result.insert(result.end(), tile.begin(), tile.end());
  }
  return result;
}

// A length of runs that are sorted, but not merged with each other; 0 if there is none.
std::size_t sorted_runs(const Problem& problem, const Items& got) {
  for (std::size_t threads = 32; threads <= 1024; threads *= 2) {
    for (std::size_t per_thread = 1; per_thread <= 32; ++per_thread) {
      for (std::size_t run : {per_thread, threads * per_thread}) {
        if (run < got.size() && are_same(got, sorted(problem.h_in, problem.order, run))) return run;
      }
    }
  }
  return 0;
}

}  // namespace

std::vector<std::string> explain(const Problem& problem, const Items& got) {
  const Items expected = expected_of(problem);
  std::vector<std::string> clauses;
  const auto add = [&](bool fits, const std::string& clause) {
    if (fits) clauses.push_back(clause);
  };
  const bool is_merge = problem.function == Function::kMerge;
  add(are_same(got, problem.h_in),
      is_merge ? "the two inputs follow each other, unmerged" : "the input is copied, unsorted");
  add(is_merge && are_same(got, with_b_first(problem)),
      "equal items of d_b precede those of d_a: which side may advance when neither precedes the "
      "other?");
  add(!is_merge && are_same(got, with_last_first(problem)),
      "equal items are in the reverse of their order: the sort is not stable");
  add(are_same(got, reversed(expected)), "the result is in the reverse order");
  if (!is_merge && clauses.empty()) {
    if (const std::size_t run = sorted_runs(problem, got); run != 0) {
      clauses.push_back("runs of " + judge::counted(run, "item") + " are sorted, but not merged");
    }
  }
  if (!clauses.empty()) return clauses;
  const std::vector<std::uint64_t> got_bits = sorted_bits(got);
  const std::vector<std::uint64_t> expected_bits = sorted_bits(expected);
  if (got_bits == expected_bits) {
    return {has_same_order(got, expected, problem.order)
                ? "equal items changed places: every comparison is right, but the result is not "
                  "stable"
                : "every item is in the result once, but some at a wrong place"};
  }
  if (std::ranges::any_of(got, judge::is_poison<lab::Fraction>)) {
    return {"some places of the result were never written"};
  }
  if (!std::ranges::all_of(got_bits, [&](std::uint64_t item) {
        return std::ranges::binary_search(expected_bits, item);
      })) {
    return {"some items of the result are not in the input: was each place filled that was read?"};
  }
  // Wherever a run begins among equal items, its values are the same.
  return {has_same_order(got, expected, problem.order)
              ? "some equal items are in the result twice, and others are missing: do the search "
                "and the merge choose the same one of two equal items?"
              : "some items are in the result twice, and others are missing"};
}

}  // namespace lab_judge
