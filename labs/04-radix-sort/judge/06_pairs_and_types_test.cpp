// SPDX-License-Identifier: MIT
// Rung 06: pairs, signed keys, floats, ranges of bits.
#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "fixture.h"
#include "fixture/test_data.h"
#include "judge.h"

namespace lab_judge {
namespace {

constexpr std::uint32_t kSignBit = 0x80000000U;
constexpr std::uint32_t kPoison = 0x01010101U * judge::kPoisonByte;

// Floats as unsigned numbers in the contract's order.
std::uint32_t ordered(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return bits ^ ((bits & kSignBit) != 0 ? 0xffffffffU : kSignBit);
}
std::uint32_t float_bits(std::uint32_t key) {
  return key ^ ((key & kSignBit) != 0 ? kSignBit : 0xffffffffU);
}
std::string show_float(std::uint32_t key) {
  const std::uint32_t bits = float_bits(key);
  char text[64];
  std::snprintf(text, sizeof text, "%.9g (%s)", static_cast<double>(std::bit_cast<float>(bits)),
                hex(bits).c_str());
  return text;
}

class PairsAndTypes : public SortFixture {
 protected:
  // A sort of few keys may compare each with all, for which the emulator takes a third of a second
  // at 4097 keys.
  const std::vector<int> sizes_ =
      judge::kOnGpu ? std::vector<int>{1, 2, 31, 32, 33, 255, 257, 1000, 1025, 4097, 8193, 12289}
                    : std::vector<int>{1, 2, 31, 32, 33, 257, 1025, 2049, 8192, 12289};
  // A key's type matters at no other size. One key, a partial warp, and both sides of a tile.
  const std::vector<int> type_sizes_ = judge::kOnGpu ? sizes_ : std::vector<int>{1, 33, 1025, 8193};

  // Values are the indices of the input, so that each pair is known by its value.
  std::optional<Failure> sort_pairs(const Keys& h_keys) {
    const int num_items = static_cast<int>(h_keys.size());
    Keys h_values(h_keys.size());
    const auto salt = static_cast<std::uint32_t>(next_seed());
    for (std::uint32_t i = 0; i < h_values.size(); ++i) h_values[i] = i ^ salt;
    begin_case();
    give_scratch(num_items);
    const auto d_keys_in = input("d_keys_in", h_keys);
    const auto d_values_in = input("d_values_in", h_values);
    const auto d_keys_out = output<std::uint32_t>("d_keys_out", h_keys.size());
    const auto d_values_out = output<std::uint32_t>("d_values_out", h_keys.size());
    auto failure = call<decltype(lab::sort_pairs)>("sort_pairs", d_keys_in, d_values_in, num_items,
                                                   d_keys_out, d_values_out);
    if (failure) return failure;
    auto of_keys = unsigned_case(what("sort_pairs", h_keys.size()), h_keys);
    of_keys.output = "d_keys_out";
    if (auto wrong = lab_judge::compare(of_keys, d_keys_out.download())) return wrong;
    return compare_values(h_keys, h_values, d_values_out.download());
  }

  // The keys are right.
  static std::optional<Failure> compare_values(const Keys& h_keys, const Keys& h_values,
                                               const Keys& got) {
    std::vector<std::size_t> order(h_keys.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return h_keys[i]; });
    const auto is_right = [&](std::size_t i) { return got[i] == h_values[order[i]]; };
    std::size_t first = 0;
    while (first < got.size() && is_right(first)) ++first;
    if (first == got.size()) return std::nullopt;
    const std::string place = "d_values_out[" + std::to_string(first) + "]";
    if (judge::is_poison(got[first])) {
      return Failure{judge::kind::kOutputUnwritten, place + " was never written"};
    }
    Failure failure{judge::kind::kWrongResult,
                    what("sort_pairs", h_keys.size()) + ": the keys are right, but expected " +
                        place + " = " + hex(h_values[order[first]]) + ", got " + hex(got[first])};
    Keys sorted = got;
    Keys all = h_values;
    std::ranges::sort(sorted);
    std::ranges::sort(all);
    if (got == h_values) {
      failure.pattern = "the values stay where they are instead of going with their keys";
    } else if (sorted == all) {
      const std::uint32_t salt = h_values[0];  // h_values[i] is i ^ salt
      bool fits = true;
      for (std::size_t i = 0; i < got.size(); ++i) {
        fits = fits && h_keys[got[i] ^ salt] == h_keys[order[i]];
      }
      failure.pattern = fits ? "the sort is not stable: every value is with a key that is equal to "
                               "its own, but equal keys have changed their order"
                             : "values do not go where their keys go";
    }
    return failure;
  }

  std::optional<Failure> sort_signed(const Keys& h_bits) {
    std::vector<std::int32_t> h_in(h_bits.size());
    std::ranges::transform(h_bits, h_in.begin(),
                           [](std::uint32_t bits) { return static_cast<std::int32_t>(bits); });
    std::vector<std::int32_t> h_out;
    auto failure = sort<decltype(lab::sort_signed)>("sort_signed", h_in, h_out);
    if (failure) return failure;
    const auto key_of = [](std::int32_t value) {
      return static_cast<std::uint32_t>(value) ^ kSignBit;
    };
    SortCase signed_case{
        .what = what("sort_signed", h_in.size()),
        .input = {},
        .poison = kPoison ^ kSignBit,
        .show =
            [](std::uint32_t key) {
              return std::to_string(static_cast<std::int32_t>(key ^ kSignBit));
            },
        .wrong_orders = {{[](std::uint32_t key) { return key ^ kSignBit; },
                          "the sign bit is taken for the highest bit of an unsigned number: "
                          "negative keys come last"}}};
    std::ranges::transform(h_in, std::back_inserter(signed_case.input), key_of);
    Keys got;
    std::ranges::transform(h_out, std::back_inserter(got), key_of);
    return lab_judge::compare(signed_case, got);
  }

  std::optional<Failure> sort_floats(const std::vector<float>& h_in) {
    std::vector<float> h_out;
    auto failure = sort<decltype(lab::sort_floats)>("sort_floats", h_in, h_out);
    if (failure) return failure;
    SortCase float_case{
        .what = what("sort_floats", h_in.size()),
        .input = {},
        .poison = ordered(std::bit_cast<float>(kPoison)),
        .show = show_float,
        .wrong_orders = {
            {[](std::uint32_t key) { return float_bits(key); },
             "the bits of floats are compared as unsigned numbers: negative keys come last, and "
             "the largest magnitude last of all"},
            {[](std::uint32_t key) { return float_bits(key) ^ kSignBit; },
             "the bits of floats are compared as signed numbers: negative keys are in descending "
             "order, as a larger magnitude is a smaller number there"},
            {[](std::uint32_t key) { return key == 0x7fffffffU ? kSignBit : key; },
             "-0 and +0 are taken for equal: the contract puts -0 first"}}};
    std::ranges::transform(h_in, std::back_inserter(float_case.input), ordered);
    Keys got;
    std::ranges::transform(h_out, std::back_inserter(got), ordered);
    return lab_judge::compare(float_case, got);
  }

  std::optional<Failure> sort_bits(const Keys& h_in, int begin_bit, int end_bit) {
    begin_case();
    const int num_items = static_cast<int>(h_in.size());
    give_scratch(num_items);
    const auto d_in = input("d_in", h_in);
    const auto d_out = output<std::uint32_t>("d_out", h_in.size());
    auto failure =
        call<decltype(lab::sort_bits)>("sort_bits", d_in, num_items, begin_bit, end_bit, d_out);
    if (failure) return failure;
    auto some_bits =
        unsigned_case(what("sort_bits", h_in.size()) + " by the bits from " +
                          std::to_string(begin_bit) + " to below " + std::to_string(end_bit),
                      h_in);
    some_bits.begin_bit = begin_bit;
    some_bits.end_bit = end_bit;
    return lab_judge::compare(some_bits, d_out.download());
  }
};

// Finite numbers of every magnitude, of both signs.
std::vector<float> random_floats(std::uint64_t seed, int num_items) {
  std::vector<float> items(num_items);
  for (int i = 0; i < num_items; ++i) {
    const auto bits = static_cast<std::uint32_t>(judge::random_bits(seed, i) >> 32);
    const bool is_finite = (bits & 0x7f800000U) != 0x7f800000U;
    items[i] = std::bit_cast<float>(is_finite ? bits : bits & 0xbfffffffU);
  }
  return items;
}

TEST_F(PairsAndTypes, SortsPairs) {
  expect_random(sizes_, [&](const Keys& keys) { return sort_pairs(keys); });
}

TEST_F(PairsAndTypes, KeepsTheOrderOfEqualKeys) {
  // Past a tile of 2048. A sort of few keys may compare each with all, so more would take long.
  const Kinds kinds = judge::kOnGpu ? Kinds::kAll : Kinds::kWithEqualKeys;
  expect_all_kinds(
      2100, [&](const Keys& keys) { return sort_pairs(keys); }, kinds);
}

TEST_F(PairsAndTypes, SortsSignedKeys) {
  expect_random(type_sizes_, [&](const Keys& keys) { return sort_signed(keys); });
}

TEST_F(PairsAndTypes, SortsFloats) {
  expect_and_explain(type_sizes_, [&](int num_items) {
    return sort_floats(random_floats(next_seed(), num_items));
  });
}

TEST_F(PairsAndTypes, PutsSpecialFloatsInTheirPlaces) {
  using Limits = std::numeric_limits<float>;
  const float specials[] = {0.0F,
                            -0.0F,
                            Limits::infinity(),
                            -Limits::infinity(),
                            Limits::denorm_min(),
                            -Limits::denorm_min(),
                            Limits::max(),
                            Limits::lowest(),
                            1.0F,
                            -1.0F,
                            std::bit_cast<float>(0x7fc00000U),   // NaNs, quiet,
                            std::bit_cast<float>(0xffc00001U),   // with the sign bit set,
                            std::bit_cast<float>(0x7f800123U)};  // signalling
  expect_and_explain({100, 3000}, [&](int num_items) {
    const std::uint64_t seed = next_seed();
    std::vector<float> h_in = random_floats(~seed, num_items);
    for (int i = 0; i < num_items; ++i) {
      const std::uint64_t choice = judge::random_bits(seed, i) % (2 * std::size(specials));
      if (choice < std::size(specials)) h_in[i] = specials[choice];
    }
    return sort_floats(h_in);
  });
}

TEST_F(PairsAndTypes, SortsByRangesOfBits) {
  constexpr int kRanges[][2] = {{0, 32}, {0, 1},   {31, 32}, {0, 8},  {8, 16},
                                {3, 14}, {20, 32}, {5, 29},  {12, 12}};
  for (const auto& range : kRanges) {
    expect_and_explain({700, 9000}, [&](int num_items) {
      return sort_bits(random_keys(next_seed(), num_items), range[0], range[1]);
    });
    if (HasFailure()) return;
  }
}

TEST_F(PairsAndTypes, AcceptsNoKeys) {
  if (const auto failure = sort_pairs(random_keys(next_seed(), 33))) return fail(*failure);
  if (const auto failure = sort_pairs({})) return fail(*failure);
  if (const auto failure = sort_signed({})) return fail(*failure);
  if (const auto failure = sort_floats({})) return fail(*failure);
  if (const auto failure = sort_bits({}, 0, 32)) return fail(*failure);
}

TEST_F(PairsAndTypes, SortsManyItems) {
  const int many = (judge::kOnGpu ? 1 << 22 : 40000) + static_cast<int>(next_seed() % 997);
  expect_random({many}, [&](const Keys& keys) { return sort_pairs(keys); });
}

TEST_F(PairsAndTypes, DependOnNoOrderOfExecution) {
  const int few = judge::kOnGpu ? 2500 : 1100;
  const int many = judge::kOnGpu ? 20000 : 13000;
  expect_no_order_to_matter(4, few, many, [&](const Keys& keys) { return sort_pairs(keys); });
}

}  // namespace
}  // namespace lab_judge
