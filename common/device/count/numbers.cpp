// SPDX-License-Identifier: MIT
#include "count/numbers.h"

#include <algorithm>
#include <bit>

namespace count {
namespace {

using run::kWarpSize;

constexpr auto kLaneBit = [] {
  Numbers bits;
  for (std::size_t i = 0; i < kWarpSize; ++i) bits[i] = 1U << i;
  return bits;
}();

// Groups equal numbers without a branch. Every lane writes its name into the slot of its number,
// and then finds there the last lane of its group. The slots need no clearing. Lanes with different
// numbers in one slot are noticed.
template <class Number>
class Groups {
 public:
  explicit Groups(const std::array<Number, kWarpSize>& numbers) {
    static thread_local std::array<std::uint8_t, kNumSlots> slots = {};
    std::array<std::uint16_t, kWarpSize> slot_of;
    for (std::size_t i = 0; i < kWarpSize; ++i) {
      slot_of[i] = static_cast<std::uint16_t>(
          static_cast<std::uint32_t>(numbers[i]) * 0x9E3779B1U >> (32 - kSlotBits));
      slots[slot_of[i]] = static_cast<std::uint8_t>(i);
    }
    Number differences = 0;
    for (std::size_t i = 0; i < kWarpSize; ++i) {
      last_[i] = slots[slot_of[i]];
      differences |= numbers[i] ^ numbers[last_[i]];
    }
    if (differences != 0) group_by_comparing(numbers);
  }

  int count() const {
    int count = 0;
    for (std::size_t i = 0; i < kWarpSize; ++i) count += last_[i] == i ? 1 : 0;
    return count;
  }
  // The lane that stands for the group of lane i.
  std::size_t of(std::size_t i) const { return last_[i]; }

 private:
  static constexpr int kSlotBits = 12;
  static constexpr std::size_t kNumSlots = std::size_t{1} << kSlotBits;

  // Rare, and slower.
  void group_by_comparing(const std::array<Number, kWarpSize>& numbers) {
    for (std::size_t i = 0; i < kWarpSize; ++i) {
      for (std::size_t j = i; j < kWarpSize; ++j) {
        if (numbers[j] == numbers[i]) last_[i] = static_cast<std::uint8_t>(j);
      }
    }
  }

  std::array<std::uint8_t, kWarpSize> last_;
};

}  // namespace

Numbers numbers_of(const run::Access& access, int shift) {
  Numbers numbers;
  for (std::size_t i = 0; i < kWarpSize; ++i) {
    numbers[i] = static_cast<std::uint32_t>(access.address[i] >> shift);
  }
  if (access.lanes == ~0U) return numbers;
  const std::uint32_t any = numbers[static_cast<std::size_t>(std::countr_zero(access.lanes))];
  for (std::size_t i = 0; i < kWarpSize; ++i) {
    const std::uint32_t own = numbers[i];
    numbers[i] = (access.lanes & kLaneBit[i]) != 0 ? own : any;
  }
  return numbers;
}

int count_distinct(const Numbers& numbers, bool has_all_lanes) {
  if (has_all_lanes && numbers[1] != numbers[0]) {
    // Most are in order. Others are found out soon.
    const bool rises = numbers[1] > numbers[0];
    int count = 1;
    std::size_t i = 1;
    for (; i < kWarpSize; ++i) {
      if (numbers[i] == numbers[i - 1]) continue;
      if ((numbers[i] > numbers[i - 1]) != rises) break;
      ++count;
    }
    if (i == kWarpSize) return count;
  }
  return Groups<std::uint32_t>(numbers).count();
}

int most_in_a_bank(const Numbers& numbers, std::uint32_t lanes, std::size_t first,
                   std::size_t num_lanes, std::uint32_t num_banks) {
  constexpr std::size_t kMaxNumber = 1 << 16;  // shared memory has fewer words
  static thread_local std::array<std::uint8_t, kMaxNumber> is_known = {};
  std::array<std::uint8_t, 32> in_bank = {};
  std::uint8_t most = 0;
  for (std::size_t i = first; i < first + num_lanes; ++i) {
    const std::uint32_t number = numbers[i] % kMaxNumber;
    const auto takes_part = static_cast<std::uint8_t>(lanes >> i & 1);
    const std::uint8_t was_known = is_known[number];
    is_known[number] = was_known | takes_part;
    std::uint8_t& count = in_bank[number % num_banks];
    count += takes_part & ~was_known;
    most = std::max(most, count);
  }
  for (std::size_t i = first; i < first + num_lanes; ++i) is_known[numbers[i] % kMaxNumber] = 0;
  return most;
}

int most_frequent(const run::Access& access) {
  const auto first = static_cast<std::size_t>(std::countr_zero(access.lanes));
  std::array<std::uint64_t, kWarpSize> addresses;
  for (std::size_t i = 0; i < kWarpSize; ++i) {
    addresses[i] = (access.lanes & kLaneBit[i]) != 0 ? access.address[i] : access.address[first];
  }
  const Groups<std::uint64_t> groups(addresses);
  std::array<std::uint8_t, kWarpSize> sizes = {};
  std::uint8_t most = 0;
  for (std::size_t i = 0; i < kWarpSize; ++i) {
    std::uint8_t& size = sizes[groups.of(i)];
    size += static_cast<std::uint8_t>(access.lanes >> i & 1);
    most = std::max(most, size);
  }
  return most;
}

}  // namespace count
