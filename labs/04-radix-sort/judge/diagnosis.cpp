// SPDX-License-Identifier: MIT
#include "diagnosis.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>

#include "protocol/arena.h"

namespace lab_judge {
namespace {

// Finding the mistake may sort some hundred times: beyond this size that takes too long.
constexpr std::size_t kMostKeysToExplain = std::size_t{1} << 17;
constexpr int kDigitWidths[] = {1, 2, 4, 8, 16};

bool is_sorted_by_bits(const Keys& keys, int begin_bit, int end_bit) {
  return std::ranges::is_sorted(
      keys, {}, [=](std::uint32_t key) { return bits_of(key, begin_bit, end_bit); });
}

// Whether `got` is what a stable sort of `before` by bits [begin_bit, end_bit) gives. Most outputs
// are out of order there, which shows without a sort.
bool is_sort_of(const Keys& before, int begin_bit, int end_bit, const Keys& got) {
  return is_sorted_by_bits(got, begin_bit, end_bit) &&
         sorted_by_bits(before, begin_bit, end_bit) == got;
}

bool same_by_bits(const Keys& a, const Keys& b, int begin_bit, int end_bit) {
  const auto digit = [=](std::uint32_t key) { return bits_of(key, begin_bit, end_bit); };
  return std::ranges::equal(a, b, {}, digit, digit);
}

// The keys of `a` that `b` lacks, counting repeats. Both are sorted.
Keys difference(const Keys& a, const Keys& b) {
  Keys rest;
  std::ranges::set_difference(a, b, std::back_inserter(rest));
  return rest;
}

constexpr const char* kTailDropped =
    "the tail is dropped: the last, partial tile's keys are missing (does a division round down?)";

// `lost`, sorted, are the last keys of the input.
bool is_tail_of(const Keys& input, const Keys& lost) {
  if (lost.size() == input.size()) return false;
  Keys tail(input.end() - static_cast<std::ptrdiff_t>(lost.size()), input.end());
  std::ranges::sort(tail);
  return tail == lost;
}

// The pattern of an output that is not a permutation of the input.
std::string explain_keys(const SortCase& sort_case, const Keys& extra, const Keys& lost) {
  const Keys& input = sort_case.input;
  const auto all_extra = [&](std::uint32_t key) {
    return std::ranges::all_of(extra, [=](std::uint32_t other) { return other == key; });
  };
  if (all_extra(sort_case.poison)) {
    return "memory that holds no key was read: "
           "past the end of the input, or a place of a temporary array to which no key went";
  }
  if (all_extra(sort_case.padding)) {
    return "padding that fills up a partial tile has taken the place of real keys";
  }
  if (all_extra(0)) {
    return "zeros stand where keys should be (padding of 0 sorts to the front of a partial tile)";
  }
  const std::set<std::uint32_t> known(input.begin(), input.end());
  if (!std::ranges::all_of(extra, [&](std::uint32_t key) { return known.contains(key); })) {
    return "keys are changed on their way, or words were read that hold no key: "
           "the output has some that the input does not";
  }
  if (is_tail_of(sort_case.input, lost)) return kTailDropped;
  return "several keys were given the same place: some are there twice, others are lost";
}

// All passes but one, for digits of some width, that begin anywhere or half a digit further on.
bool misses_a_pass(const SortCase& sort_case, const Keys& got, int width) {
  for (int skipped = sort_case.begin_bit; skipped < sort_case.end_bit; skipped += (width + 1) / 2) {
    const int after = std::min(skipped + width, sort_case.end_bit);
    if (!is_sorted_by_bits(got, after, sort_case.end_bit)) continue;
    const Keys low = sorted_by_bits(sort_case.input, sort_case.begin_bit, skipped);
    if (is_sort_of(low, after, sort_case.end_bit, got)) return true;
  }
  return false;
}

Keys sorted_highest_digit_first(const SortCase& sort_case, int width) {
  Keys keys = sort_case.input;
  const int num_bits = sort_case.end_bit - sort_case.begin_bit;
  for (int offset = (num_bits - 1) / width * width; offset >= 0; offset -= width) {
    const int begin = sort_case.begin_bit + offset;
    keys = sorted_by_bits(keys, begin, std::min(begin + width, sort_case.end_bit));
  }
  return keys;
}

// Each run of `width` keys is in order.
bool consists_of_runs(const Keys& keys, std::size_t width) {
  for (std::size_t begin = 0; begin < keys.size(); begin += width) {
    const auto first = keys.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = first + static_cast<std::ptrdiff_t>(std::min(width, keys.size() - begin));
    if (!std::is_sorted(first, last)) return false;
  }
  return true;
}

// The pattern of a permutation in the wrong order. The most specific first.
std::string explain_order(const SortCase& sort_case, const Keys& got, const Keys& expected) {
  const int begin_bit = sort_case.begin_bit;
  const int end_bit = sort_case.end_bit;
  if (got == sort_case.input) return "nothing was moved: the keys are in the order of the input";
  if (same_by_bits(got, expected, begin_bit, end_bit)) {
    return "the sort is not stable: keys that are equal where it looks change their order";
  }
  if (Keys(expected.rbegin(), expected.rend()) == got) return "the order is descending";
  for (const WrongOrder& wrong : sort_case.wrong_orders) {
    Keys keys = sort_case.input;
    std::ranges::stable_sort(keys, {}, wrong.key);
    if (keys == got) return wrong.clause;
  }
  for (int bit = end_bit - 1; bit > begin_bit; --bit) {
    if (is_sort_of(sort_case.input, begin_bit, bit, got)) {
      return "the last pass is missing, or its result is not the one in the output: the keys are "
             "sorted by their lower bits alone";
    }
    if (is_sort_of(sort_case.input, bit, end_bit, got)) {
      return bit - begin_bit < end_bit - bit
                 ? "the first pass is missing: the lowest bits are not looked at"
                 : "only the last pass has any effect: "
                   "does each read what the one before it wrote?";
    }
  }
  for (const int width : kDigitWidths) {
    if (misses_a_pass(sort_case, got, width)) return "one of the passes is missing";
  }
  for (const int width : kDigitWidths) {
    const int lowest_end = std::min(begin_bit + width, end_bit);  // the digit of the last pass
    if (is_sorted_by_bits(got, begin_bit, lowest_end) &&
        sorted_highest_digit_first(sort_case, width) == got) {
      return "the passes begin with the highest digit: each of them undoes the one before, so the "
             "lowest has to come first";
    }
  }
  for (std::size_t width = 32; width < got.size(); width *= 2) {
    if (consists_of_runs(got, width)) {
      return "tiles are sorted each on its own, but not put together";
    }
  }
  if (is_sorted_by_bits(got, end_bit - 1, end_bit)) {
    return "a pass is not stable: "
           "keys of the same digit leave the order that the passes before it made";
  }
  return {};
}

std::string place(const SortCase& sort_case, std::size_t index) {
  return sort_case.output + "[" + std::to_string(index) + "]";
}

// The output contains unwritten memory, from place `first` on.
judge::Failure explain_unwritten(const SortCase& sort_case, const Keys& got, const Keys& lost) {
  const auto first =
      static_cast<std::size_t>(std::ranges::find(got, sort_case.poison) - got.begin());
  const auto num_unwritten = static_cast<std::size_t>(std::ranges::count(got, sort_case.poison));
  judge::Failure failure{judge::kind::kOutputUnwritten,
                         sort_case.what + ": " + place(sort_case, first) + " was never written"};
  if (num_unwritten == got.size()) {
    failure.message += ", nor was any other place";
  } else {
    failure.message += " (" + std::to_string(num_unwritten) + " of " + std::to_string(got.size()) +
                       " places were not)";
    failure.pattern = is_tail_of(sort_case.input, lost)
                          ? kTailDropped
                          : "several keys were given the same place, and others none";
  }
  return failure;
}

}  // namespace

std::string hex(std::uint32_t bits) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", bits);
  return text;
}

SortCase unsigned_case(std::string what, Keys input) {
  return {.what = std::move(what),
          .input = std::move(input),
          .poison = 0x01010101U * judge::kPoisonByte,
          .show = hex,
          .wrong_orders = {{[](std::uint32_t key) { return key ^ 0x80000000U; },
                            "the keys are compared as signed numbers"}}};
}

std::optional<judge::Failure> compare(const SortCase& sort_case, const Keys& got) {
  const Keys expected = expected_of(sort_case);
  if (got == expected) return std::nullopt;
  const auto first =
      static_cast<std::size_t>(std::ranges::mismatch(got, expected).in1 - got.begin());
  Keys sorted_input = sort_case.input;
  Keys sorted_got = got;
  std::ranges::sort(sorted_input);
  std::ranges::sort(sorted_got);
  const Keys extra = difference(sorted_got, sorted_input);
  const Keys lost = difference(sorted_input, sorted_got);
  if (std::ranges::binary_search(extra, sort_case.poison))
    return explain_unwritten(sort_case, got, lost);

  std::size_t num_wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) num_wrong += got[i] != expected[i] ? 1 : 0;
  judge::Failure failure{judge::kind::kWrongResult,
                         sort_case.what + ": expected " + place(sort_case, first) + " = " +
                             sort_case.show(expected[first]) + ", got " +
                             sort_case.show(got[first]) + " (" + std::to_string(num_wrong) +
                             " of " + std::to_string(got.size()) + " places are wrong)"};
  if (!extra.empty()) {
    failure.message += ". The output is not a permutation of the input, with " +
                       std::to_string(lost.size()) + " of its keys missing, such as " +
                       sort_case.show(lost.front());
    failure.pattern = explain_keys(sort_case, extra, lost);
    return failure;
  }
  int sound = sort_case.end_bit;  // got is in order by bits [sound, end_bit)
  while (sound > sort_case.begin_bit && is_sorted_by_bits(got, sound - 1, sort_case.end_bit)) {
    --sound;
  }
  failure.message += ". All keys are there, in the wrong order";
  const bool has_one_bit = sort_case.end_bit == sort_case.begin_bit + 1;
  if (sound == sort_case.end_bit && !has_one_bit) {
    failure.message += ", already by their highest bit, bit " + std::to_string(sound - 1);
  } else if (sound > sort_case.begin_bit && !has_one_bit) {
    failure.message += ": right by the bits from " + std::to_string(sound) + " up, wrong by bit " +
                       std::to_string(sound - 1);
  }
  if (got.size() <= kMostKeysToExplain) failure.pattern = explain_order(sort_case, got, expected);
  return failure;
}

}  // namespace lab_judge
