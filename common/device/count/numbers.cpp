// SPDX-License-Identifier: MIT
#include "count/numbers.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace count {
namespace {

using run::kWarpSize;

constexpr auto kLaneBit = [] {
  Numbers bits;
  for (std::size_t i = 0; i < kWarpSize; ++i) bits[i] = 1U << i;
  return bits;
}();

constexpr std::size_t kNumSlots = 128;  // four for each lane: few numbers meet

std::size_t slot_of(std::uint64_t number) {
  return static_cast<std::size_t>(number * 0x9E3779B97F4A7C15 >> 57);
}

// A set of up to 32 numbers.
template <class Number>
class Slots {
 public:
  // Returns the slot of the number.
  std::size_t find_or_insert(Number number, bool& is_new) {
    std::size_t slot = slot_of(number);
    for (;; slot = (slot + 1) % kNumSlots) {
      std::uint64_t& used = used_[slot / 64];
      const std::uint64_t bit = std::uint64_t{1} << slot % 64;
      if ((used & bit) == 0) {
        used |= bit;
        numbers_[slot] = number;
        is_new = true;
        return slot;
      }
      if (numbers_[slot] == number) return slot;
    }
  }

 private:
  std::array<std::uint64_t, kNumSlots / 64> used_ = {};
  std::array<Number, kNumSlots> numbers_;
};

int count_in_slots(const Numbers& numbers) {
  Slots<std::uint32_t> slots;
  int count = 0;
  for (const std::uint32_t number : numbers) {
    bool is_new = false;
    slots.find_or_insert(number, is_new);
    count += is_new ? 1 : 0;
  }
  return count;
}

}  // namespace

Numbers numbers_of(const run::Access& access, int shift) {
  const auto first = static_cast<std::size_t>(std::countr_zero(access.lanes));
  const auto any = static_cast<std::uint32_t>(access.address[first] >> shift);
  Numbers numbers;
  for (std::size_t i = 0; i < kWarpSize; ++i) {
    numbers[i] = static_cast<std::uint32_t>(access.address[i] >> shift);
  }
  if (access.lanes == ~0U) return numbers;
  for (std::size_t i = 0; i < kWarpSize; ++i) {
    numbers[i] = (access.lanes & kLaneBit[i]) != 0 ? numbers[i] : any;
  }
  return numbers;
}

int count_distinct(const Numbers& numbers, bool has_all_lanes) {
  std::int32_t low = 0;
  std::int32_t high = 0;
  std::uint32_t changes = 0;
  std::uint32_t rises = 0;
  std::uint32_t falls = 0;
  for (std::size_t i = 1; i < kWarpSize; ++i) {
    const auto distance = static_cast<std::int32_t>(numbers[i] - numbers[0]);
    const auto step = static_cast<std::int32_t>(numbers[i] - numbers[i - 1]);
    low = std::min(low, distance);
    high = std::max(high, distance);
    changes += step != 0 ? 1 : 0;
    rises |= step > 0 ? 1 : 0;
    falls |= step < 0 ? 1 : 0;
  }
  if (has_all_lanes && (rises & falls) == 0) return static_cast<int>(changes) + 1;
  if (static_cast<std::uint32_t>(high) - static_cast<std::uint32_t>(low) < 64) {
    std::uint64_t seen = 0;
    for (const std::uint32_t number : numbers) {
      seen |= std::uint64_t{1} << (number - numbers[0] - static_cast<std::uint32_t>(low));
    }
    return std::popcount(seen);
  }
  return count_in_slots(numbers);
}

int most_in_a_bank(const Numbers& numbers, std::uint32_t lanes, std::uint32_t num_banks) {
  // One bit for each number below kMaxNumber: shared memory has fewer words.
  constexpr std::size_t kMaxNumber = 1 << 16;
  static thread_local std::array<std::uint64_t, kMaxNumber / 64> seen = {};
  alignas(32) std::array<std::uint8_t, 32> in_bank = {};
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t number =
        numbers[static_cast<std::size_t>(std::countr_zero(rest))] % kMaxNumber;
    std::uint64_t& word = seen[number / 64];
    const std::uint64_t is_new = ~word >> number % 64 & 1;
    word |= std::uint64_t{1} << number % 64;
    in_bank[number % num_banks] += static_cast<std::uint8_t>(is_new);
  }
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t number =
        numbers[static_cast<std::size_t>(std::countr_zero(rest))] % kMaxNumber;
    seen[number / 64] = 0;
  }
  return *std::max_element(in_bank.begin(), in_bank.end());
}

int most_frequent(const run::Access& access) {
  Slots<std::uint64_t> slots;
  std::array<std::uint8_t, kNumSlots> count;
  int most = 0;
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    bool is_new = false;
    const std::size_t slot = slots.find_or_insert(
        access.address[static_cast<std::size_t>(std::countr_zero(rest))], is_new);
    count[slot] = is_new ? 1 : count[slot] + 1;
    most = std::max<int>(most, count[slot]);
  }
  return most;
}

}  // namespace count
