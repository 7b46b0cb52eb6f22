// SPDX-License-Identifier: MIT
// The counters by name: docs/counters.md defines each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace count {

enum class Counter : std::uint8_t {
#define DEVICE_COUNTER(constant, name) constant,
#include "count/counters.inc"
};
inline constexpr std::size_t kNumCounters = std::size_t(Counter::kDivergentBranches) + 1;

const char* name_of(Counter counter);  // "global_read_sectors"

constexpr Counter operator+(Counter counter, int index) {
  return static_cast<Counter>(static_cast<int>(counter) + index);
}

// One value for each counter.
class CounterSet {
 public:
  std::uint64_t operator[](Counter counter) const { return values_[std::size_t(counter)]; }
  std::uint64_t& operator[](Counter counter) { return values_[std::size_t(counter)]; }

 private:
  std::array<std::uint64_t, kNumCounters> values_ = {};
};

}  // namespace count
