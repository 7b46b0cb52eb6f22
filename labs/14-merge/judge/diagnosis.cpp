// SPDX-License-Identifier: MIT
#include "diagnosis.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <span>

#include "fixture/words.h"

namespace lab_judge {
namespace {

constexpr std::size_t kLeastRun = 4;  // shorter runs are in order by chance

std::uint64_t bits_of(const lab::Fraction& item) { return std::bit_cast<std::uint64_t>(item); }

bool is_same(const lab::Fraction& x, const lab::Fraction& y) { return bits_of(x) == bits_of(y); }

bool are_same(const Items& x, const Items& y) { return std::ranges::equal(x, y, is_same); }

// The items as numbers, in ascending order.
std::vector<std::uint64_t> sorted_bits(const Items& items) {
  std::vector<std::uint64_t> bits;
  std::ranges::transform(items, std::back_inserter(bits), bits_of);
  std::ranges::sort(bits);
  return bits;
}

bool is_equal(const lab::Fraction& x, const lab::Fraction& y, lab::Order order) {
  return !comes_before(order, x, y) && !comes_before(order, y, x);
}

bool has_same_order(const Items& x, const Items& y, lab::Order order) {
  return std::ranges::equal(
      x, y, [&](const auto& item, const auto& other) { return is_equal(item, other, order); });
}

Items reversed(Items items) {
  std::ranges::reverse(items);
  return items;
}

// The length of what the function sorts by itself: a tile, or everything.
std::size_t part_items(const Problem& problem) {
  return problem.function == Function::kSortTiles ? lab::kTileItems : problem.h_in.size();
}

lab::Order other_order(lab::Order order) {
  return order == lab::Order::kByValue ? lab::Order::kLargestDenominatorFirst
                                       : lab::Order::kByValue;
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

// The result if every block took the items of the first tile.
Items with_first_tile_only(const Problem& problem) {
  Problem other = problem;
  for (std::size_t i = 0; i < other.h_in.size(); ++i) {
    other.h_in[i] = problem.h_in[i % lab::kTileItems];
  }
  return expected_of(other);
}

// A length of runs that are sorted, but not merged with each other; 0 if there is none.
std::size_t sorted_runs(const Problem& problem, const Items& got) {
  const auto has_runs_of = [&](std::size_t run) {
    const auto end = static_cast<std::ptrdiff_t>(run);
    const Items first_in(problem.h_in.begin(), problem.h_in.begin() + end);
    const Items first_got(got.begin(), got.begin() + end);
    return are_same(first_got, sorted(first_in, problem.order, run)) &&
           are_same(got, sorted(problem.h_in, problem.order, run));
  };
  for (std::size_t threads = 32; threads <= 1024; threads *= 2) {
    for (std::size_t per_thread = 1; per_thread <= 32; ++per_thread) {
      for (std::size_t run : {per_thread, threads * per_thread}) {
        if (run < got.size() && has_runs_of(run)) return run;
      }
    }
  }
  return 0;
}

// The places, counted from the beginning of their tile or of everything, whose item precedes the
// one before.
std::vector<std::size_t> descents(const Problem& problem, const Items& got) {
  std::vector<std::size_t> places;
  for (std::size_t i = 1; i < got.size(); ++i) {
    const std::size_t place = i % part_items(problem);
    if (place > 0 && comes_before(problem.order, got[i], got[i - 1])) places.push_back(place);
  }
  return places;
}

// Whether the result is in order except where runs of one length begin. A single descent may be
// anywhere, unless a tile begins there.
bool has_ordered_runs(const std::vector<std::size_t>& descents) {
  std::size_t run = 0;
  for (const std::size_t place : descents) run = std::gcd(run, place);
  return run >= kLeastRun && (descents.size() > 1 || run % lab::kTileItems == 0);
}

// Whether `run` is what a merge writes that begins with a[i] and b[j].
bool is_merge_from(const Items& a, std::size_t i, const Items& b, std::size_t j,
                   std::span<const lab::Fraction> run) {
  return std::ranges::all_of(run, [&](const lab::Fraction& item) {
    const bool takes_b = i == a.size() || (j < b.size() && lab::ByValue()(b[j], a[i]));
    if (takes_b && j == b.size()) return false;
    return is_same(item, takes_b ? b[j++] : a[i++]);
  });
}

// Whether the result has runs of one length that are merged correctly, but of which some begin at
// other items than they should. The first runs are right, so their length divides `num_right`.
bool begins_at_wrong_items(const Problem& problem, const Items& got, const Items& expected,
                           std::size_t num_right) {
  const Items a = problem.h_a();
  const Items b = problem.h_b();
  const auto is_merged = [&](std::size_t begin, std::span<const lab::Fraction> run) {
    if (!std::ranges::search(expected, run, is_same).empty()) return true;
    for (std::size_t i = begin > b.size() ? begin - b.size() : 0; i <= std::min(begin, a.size());
         ++i) {
      if (is_merge_from(a, i, b, begin - i, run)) return true;
    }
    return false;
  };
  for (std::size_t run = num_right; run >= kLeastRun; --run) {
    if (num_right % run != 0) continue;
    bool are_merged = true;
    for (std::size_t begin = num_right; begin < got.size() && are_merged; begin += run) {
      are_merged =
          is_merged(begin, std::span(got).subspan(begin, std::min(run, got.size() - begin)));
    }
    if (are_merged) return true;
  }
  return false;
}

// Whether the places that were never written are those that stay empty if an item of either input
// counts the equal ones of the other, or if neither does.
bool equals_share_a_place(const Problem& problem, const Items& got) {
  const Items a = problem.h_a();
  const Items b = problem.h_b();
  for (const bool counts_equal : {false, true}) {
    std::vector<bool> is_empty(got.size(), true);
    const auto fill = [&](const Items& own, const Items& other) {
      for (std::size_t i = 0; i < own.size(); ++i) {
        const auto [first, last] = std::ranges::equal_range(other, own[i], lab::ByValue());
        is_empty[i + static_cast<std::size_t>((counts_equal ? last : first) - other.begin())] =
            false;
      }
    };
    fill(a, b);
    fill(b, a);
    if (std::ranges::equal(is_empty, got, {}, {}, judge::is_poison<lab::Fraction>)) return true;
  }
  return false;
}

// Whether each tile is right but the last one, which is shorter.
bool fails_in_last_tile(const Problem& problem, const Items& got, std::size_t num_right) {
  return problem.function == Function::kSortTiles && got.size() % lab::kTileItems != 0 &&
         num_right >= lab::kTileItems &&
         num_right >= got.size() / lab::kTileItems * lab::kTileItems;
}

}  // namespace

std::vector<std::string> explain(const Problem& problem, const Items& got) {
  const Items expected = expected_of(problem);
  const lab::Order order = problem.order;
  std::vector<std::string> clauses;
  const auto add = [&](bool fits, const std::string& clause) {
    if (fits) clauses.push_back(clause);
  };
  const bool is_merge = problem.function == Function::kMerge;
  const bool has_right_values = has_same_order(got, expected, order);
  add(are_same(got, problem.h_in),
      is_merge ? "the two inputs follow each other, unmerged: is an item of d_b ever taken before "
                 "d_a is used up?"
               : "the input is copied, unsorted");
  add(is_merge && are_same(got, with_b_first(problem)),
      "equal items of d_b precede those of d_a: which side may advance when neither precedes the "
      "other?");
  add(!is_merge && are_same(got, with_last_first(problem)),
      "equal items are in the reverse of their order: the sort is not stable");
  add(!is_merge && are_same(got, sorted(problem.h_in, other_order(order), part_items(problem))),
      "the items are sorted by the other order");
  add(!has_right_values && has_same_order(got, reversed(expected), order),
      "the result is in the reverse order");
  add(problem.function == Function::kSortTiles && are_same(got, with_first_tile_only(problem)),
      "every tile holds the items of the first one: does each block read its own?");
  if (!is_merge && clauses.empty()) {
    if (const std::size_t run = sorted_runs(problem, got); run != 0) {
      clauses.push_back("runs of " + judge::counted(run, "item") + " are sorted, but not merged");
    }
  }
  if (!clauses.empty() && !has_right_values) return clauses;

  const auto num_right =
      static_cast<std::size_t>(std::ranges::mismatch(got, expected, is_same).in1 - got.begin());
  if (std::ranges::any_of(got, judge::is_poison<lab::Fraction>)) {
    add(is_merge && equals_share_a_place(problem, got),
        "equal items of d_a and d_b go to the same place: which of them counts the other?");
    add(!judge::is_poison(got[num_right]), "some places of the result were never written");
    return clauses;
  }
  const std::vector<std::uint64_t> got_bits = sorted_bits(got);
  const std::vector<std::uint64_t> expected_bits = sorted_bits(expected);
  const bool has_all = got_bits == expected_bits;
  const std::vector<std::size_t> steps_back = descents(problem, got);
  // Wherever a run begins among equal items, its values are the same.
  add(has_right_values && has_all,
      "equal items changed places: every comparison is right, but the result is not stable");
  add(has_right_values && !has_all,
      "some equal items are in the result twice, and others are missing: do the search and the "
      "merge choose the same one of two equal items?");
  add(has_right_values, "only equal items are mixed up: which of two comes first in each step?");
  add(fails_in_last_tile(problem, got, num_right),
      "only the last tile is wrong, which is shorter: does every step leave out the places past "
      "its end?");
  if (!std::ranges::all_of(got_bits, [&](std::uint64_t item) {
        return std::ranges::binary_search(expected_bits, item);
      })) {
    add(true,
        "some items of the result are not in the input: was each place filled that was read?");
    return clauses;
  }
  add(is_merge && begins_at_wrong_items(problem, got, expected, num_right),
      "runs of the result are merged correctly, but some begin at wrong items: does the search find "
      "where a run begins?");
  add(has_ordered_runs(steps_back),
      "runs of the result are in order, but do not continue each other: does each begin at the "
      "right items?");
  add(!has_all && steps_back.empty(),
      "the result is in order, but items were lost on the way: some are in it twice, and others "
      "are missing");
  add(has_all, "every item is in the result once, but some at a wrong place");
  add(!has_all, "some items are in the result twice, and others are missing");
  return clauses;
}

}  // namespace lab_judge
