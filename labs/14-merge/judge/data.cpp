// SPDX-License-Identifier: MIT
#include "data.h"

#include "protocol/call_encoding.h"

namespace lab_judge {
namespace {

constexpr std::size_t kNoRuns = std::size_t{1} << 31;  // one run for all

lab::Fraction few_values(std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t bits = judge::random_bits(seed, index);
  return {static_cast<int>(bits % 25) - 12, 1 + static_cast<int>((bits >> 32) % 8)};
}
lab::Fraction all_equal(std::uint64_t seed, std::uint64_t index) {
  const int factor = 1 + static_cast<int>(judge::random_bits(seed, index) % 1000);
  return {-2 * factor, 3 * factor};
}
lab::Fraction far_apart(std::uint64_t seed, std::uint64_t index) {
  return random_fraction(seed, index);
}
// Thousands of items in order, then a step back.
lab::Fraction nearly_sorted(std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t bits = judge::random_bits(seed, index);
  return {static_cast<int>(index % 3000 + bits % 3), 1 + static_cast<int>((bits >> 32) % 2)};
}
lab::Fraction descending(std::uint64_t seed, std::uint64_t index) {
  return {-static_cast<int>(index / 2), 1 + static_cast<int>(judge::random_bits(seed, index) % 2)};
}

Items make_items(std::uint64_t seed, int num_items, const Spread& spread) {
  Items items(num_items);
  for (int i = 0; i < num_items; ++i) items[i] = spread.item(seed, i);
  return items;
}

}  // namespace

const Spread kFewValues = {"of few values", few_values};
const std::vector<Spread> kSpreads = {kFewValues,
                                      {"all equal", all_equal},
                                      {"far apart", far_apart},
                                      {"nearly sorted", nearly_sorted},
                                      {"descending", descending}};

Function function_of(const std::string& rung) {
  if (rung == "04_tile_sort") return Function::kSortTiles;
  return rung == "05_sort" ? Function::kSort : Function::kMerge;
}

Problem make_merge(std::uint64_t seed, int num_a, int num_b, const Spread& spread) {
  Problem problem{Function::kMerge, lab::Order::kByValue, {}, num_a};
  problem.h_in = sorted(make_items(seed, num_a, spread), problem.order, kNoRuns);
  const Items h_b = sorted(make_items(~seed, num_b, spread), problem.order, kNoRuns);
  problem.h_in.insert(problem.h_in.end(), h_b.begin(), h_b.end());
  return problem;
}

Problem make_sort(Function function, std::uint64_t seed, int num_items, lab::Order order,
                  const Spread& spread) {
  return {function, order, make_items(seed, num_items, spread)};
}

Items expected_of(const Problem& problem) {
  return sorted(problem.h_in, problem.order,
                problem.function == Function::kSortTiles ? lab::kTileItems : kNoRuns);
}

wire::Call encode(Function function, lab::Order order, const judge::Buffer<lab::Fraction>& d_a,
                  const judge::Buffer<lab::Fraction>& d_b,
                  const judge::Buffer<lab::Fraction>& d_out) {
  const int num_a = static_cast<int>(d_a.size());
  if (function == Function::kMerge) {
    return judge::encode_call<decltype(lab::merge)>("merge", d_a, num_a, d_b,
                                                    static_cast<int>(d_b.size()), d_out);
  }
  wire::Call call = judge::encode_call<decltype(lab::sort)>("sort", d_a, num_a, order, d_out);
  if (function == Function::kSortTiles) call.function = "sort_tiles";  // its arguments are the same
  return call;
}

}  // namespace lab_judge
