// SPDX-License-Identifier: MIT
#include "fixture_types.h"

#include <algorithm>
#include <bit>
#include <limits>

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

}  // namespace

std::optional<Failure> TypesFixture::sort_signed(const Keys& h_bits) {
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

std::optional<Failure> TypesFixture::sort_floats(const std::vector<float>& h_in) {
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

std::optional<Failure> TypesFixture::sort_bits(const Keys& h_in, int begin_bit, int end_bit) {
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

void TypesFixture::expect_signed_keys_sorted() {
  expect_random(type_sizes_, [&](const Keys& keys) { return sort_signed(keys); });
}

void TypesFixture::expect_floats_sorted() {
  expect_and_explain(type_sizes_, [&](int num_items) {
    return sort_floats(random_floats(next_seed(), num_items));
  });
}

void TypesFixture::expect_special_floats_in_their_places() {
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

void TypesFixture::expect_ranges_of_bits_sorted() {
  constexpr int kRanges[][2] = {{0, 32}, {0, 1},   {31, 32}, {0, 8},  {8, 16},
                                {3, 14}, {20, 32}, {5, 29},  {12, 12}};
  for (const auto& range : kRanges) {
    expect_and_explain({700, 9000}, [&](int num_items) {
      return sort_bits(random_keys(next_seed(), num_items), range[0], range[1]);
    });
    if (HasFailure()) return;
  }
}

}  // namespace lab_judge
