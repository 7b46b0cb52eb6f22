// SPDX-License-Identifier: MIT
// Rung 07: inclusive and exclusive, in place, and under other operators.
#include <algorithm>
#include <limits>

#include "fixture.h"

namespace lab {

static bool operator==(const AffineMap& a, const AffineMap& b) {
  return a.scale == b.scale && a.shift == b.shift;
}

}  // namespace lab

namespace lab_judge {
namespace {

using lab::AffineMap;

class Conversions : public ScanFixture {
 protected:
  // The lengths for every function here.
  std::vector<int> sizes() {
    return {1,     2,
            3,     31,
            32,    33,
            100,   255,
            256,   257,
            511,   512,
            513,   1000,
            1023,  1024,
            1025,  2047,
            2048,  2049,
            4096,  4097,
            6145,  12289,
            30000, 60000 + static_cast<int>(next_seed() % 1000)};
  }

  std::optional<Failure> inclusive(std::vector<int> h_in) {
    return check_scan<decltype(lab::inclusive_scan)>(
        sum_scan("inclusive_scan", Kind::kInclusive, std::move(h_in)));
  }

  std::optional<Failure> in_place(std::vector<int> h_in) {
    auto result = sum_scan("exclusive_scan_in_place", Kind::kExclusive, std::move(h_in));
    begin_case();
    give_scratch(result.h_in.size());
    judge::Buffer<int> d_items = output<int>("d_items", result.h_in.size());
    d_items.upload(result.h_in);
    if (auto failure = call<decltype(lab::exclusive_scan_in_place)>(
            "exclusive_scan_in_place", d_items, static_cast<int>(result.h_in.size()))) {
      return failure;
    }
    result.h_got = d_items.download();
    return compare(result);
  }

  // is_same: the output is the exclusive scan's own array.
  std::optional<Failure> to_inclusive(std::vector<int> h_in, bool is_same) {
    auto result = sum_scan("inclusive_from_exclusive", Kind::kInclusive, std::move(h_in));
    const auto h_exclusive = reference(result, Kind::kExclusive);
    begin_case();
    give_scratch(result.h_in.size());
    const auto d_in = input("d_in", result.h_in);
    judge::Buffer<int> d_exclusive, d_out;
    if (is_same) {
      d_out = d_exclusive = output<int>("d_out", h_exclusive.size());
      d_exclusive.upload(h_exclusive);
    } else {
      d_exclusive = input("d_exclusive", h_exclusive);
      d_out = output<int>("d_out", h_exclusive.size());
    }
    if (auto failure = call<decltype(lab::inclusive_from_exclusive)>(
            "inclusive_from_exclusive", d_in, d_exclusive, static_cast<int>(result.h_in.size()),
            d_out)) {
      return failure;
    }
    result.h_got = d_out.download();
    return compare(result);
  }

  std::optional<Failure> to_exclusive(std::vector<int> h_in) {
    auto result = sum_scan("exclusive_from_inclusive", Kind::kExclusive, std::move(h_in));
    begin_case();
    give_scratch(result.h_in.size());
    const auto d_inclusive = input("d_inclusive", reference(result, Kind::kInclusive));
    const auto d_out = output<int>("d_out", result.h_in.size());
    if (auto failure = call<decltype(lab::exclusive_from_inclusive)>(
            "exclusive_from_inclusive", d_inclusive, static_cast<int>(result.h_in.size()), d_out)) {
      return failure;
    }
    result.h_got = d_out.download();
    return compare(result);
  }

  std::optional<Failure> maxima(std::vector<int> h_in) {
    return check_scan<decltype(lab::exclusive_max_scan)>(
        Result<int>{.function = "exclusive_max_scan",
                    .kind = Kind::kExclusive,
                    .identity = std::numeric_limits<int>::min(),
                    .combine = [](int a, int b) { return std::max(a, b); },
                    .text = [](int value) { return std::to_string(value); },
                    .h_in = std::move(h_in),
                    .h_got = {}});
  }

  // Only negative items that slowly rise: every part of the output has a different maximum.
  std::vector<int> rising_negatives(int num_items) {
    std::vector<int> h_in(num_items);
    const std::uint64_t seed = next_seed();
    for (int i = 0; i < num_items; ++i) {
      h_in[i] = -4 * (num_items - i) - static_cast<int>(judge::random_bits(seed, i) % 3000) - 1;
    }
    return h_in;
  }

  std::optional<Failure> affine(std::vector<AffineMap> h_in) {
    return check_scan<decltype(lab::inclusive_affine_scan)>(Result<AffineMap>{
        .function = "inclusive_affine_scan",
        .kind = Kind::kInclusive,
        .identity = {1, 0},
        .combine =
            [](AffineMap first, AffineMap then) {
              return AffineMap{then.scale * first.scale, then.scale * first.shift + then.shift};
            },
        .text =
            [](AffineMap map) {
              return "{" + std::to_string(map.scale) + ", " + std::to_string(map.shift) + "}";
            },
        .h_in = std::move(h_in),
        .h_got = {}});
  }

  // Odd scales: each product with an even scale loses a bit, and 32 of them lose all.
  std::vector<AffineMap> random_maps(int num_maps) {
    std::vector<AffineMap> h_in(num_maps);
    const std::uint64_t seed = next_seed();
    for (int i = 0; i < num_maps; ++i) {
      const std::uint64_t bits = judge::random_bits(seed, i);
      h_in[i] = {static_cast<unsigned>(bits) | 1U, static_cast<unsigned>(bits >> 32)};
    }
    return h_in;
  }

  std::vector<int> numbers(int num_items) { return small_numbers(next_seed(), num_items); }
};

TEST_F(Conversions, ScanInclusively) {
  if (const auto failure = inclusive(kExample)) return fail(*failure);  // [3 4 11 11 15 16 22 25]
  expect_for_sizes(sizes(), [&](int num_items) { return inclusive(numbers(num_items)); });
  if (HasFailure()) return;
  if (const auto failure = inclusive({})) fail(*failure);
}

TEST_F(Conversions, MakeInclusiveOfExclusive) {
  if (const auto failure = to_inclusive(kExample, false)) return fail(*failure);
  expect_for_sizes(sizes(), [&](int num_items) { return to_inclusive(numbers(num_items), false); });
  if (HasFailure()) return;
  if (const auto failure = to_inclusive(numbers(5000), true)) fail(*failure);
  if (const auto failure = to_inclusive({}, false)) fail(*failure);
}

TEST_F(Conversions, MakeExclusiveOfInclusive) {
  if (const auto failure = to_exclusive(kExample)) return fail(*failure);
  expect_for_sizes(sizes(), [&](int num_items) { return to_exclusive(numbers(num_items)); });
  if (HasFailure()) return;
  if (const auto failure = to_exclusive({})) fail(*failure);
}

TEST_F(Conversions, ScanInPlace) {
  if (const auto failure = in_place(kExample)) return fail(*failure);
  expect_for_sizes(sizes(), [&](int num_items) { return in_place(numbers(num_items)); });
  if (HasFailure()) return;
  if (const auto failure = in_place({})) fail(*failure);
}

TEST_F(Conversions, ScanUnderMaximum) {
  if (const auto failure = maxima({-5, -9, -2, -7})) return fail(*failure);  // [INT_MIN -5 -5 -2]
  expect_for_sizes(sizes(), [&](int num_items) { return maxima(rising_negatives(num_items)); });
  if (HasFailure()) return;
  if (const auto failure = maxima({})) fail(*failure);
}

TEST_F(Conversions, ScanUnderComposition) {
  // Double, then add 1, then triple: {2, 0}, {2, 1}, {6, 3}.
  if (const auto failure = affine({{2, 0}, {1, 1}, {3, 0}})) return fail(*failure);
  expect_for_sizes(sizes(), [&](int num_maps) { return affine(random_maps(num_maps)); });
  if (HasFailure()) return;
  if (const auto failure = affine({})) fail(*failure);
}

TEST_F(Conversions, DependOnNoOrderOfExecution) {
  expect_in_any_order(6, [&](int round) {
    const int num_items = 20000 + static_cast<int>(next_seed() % 3000);
    return round % 2 == 0 ? affine(random_maps(num_items)) : in_place(numbers(num_items));
  });
}

}  // namespace
}  // namespace lab_judge
