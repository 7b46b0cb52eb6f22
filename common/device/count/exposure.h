// SPDX-License-Identifier: MIT
// Memory that the host can read or write without a copy: managed and pinned memory, and variables
// of the device, into which a kernel may put tables. Its words count once in a launch.
#pragma once

#include <bit>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "count/counters.h"
#include "count/tally.h"
#include "memory/address_map.h"
#include "memory/book.h"
#include "memory/page.h"
#include "run/monitor.h"

namespace count {

// Which counter has the bytes at `address`: kHostBytes for managed and pinned memory,
// kVariableBytes for a __device__ variable; none for other memory.
std::optional<Counter> exposing_counter(std::uint64_t address);

class Exposure {
 public:
  void begin_launch();
  // The host may have read or written meanwhile what is exposed.
  void expose_anew() { pages_.clear(); }

  // Quick, and true too often.
  bool may_expose(const run::Access& access) const {
    if (access.pattern != run::Pattern::kOther) {
      const auto first = static_cast<std::size_t>(std::countr_zero(access.lanes));
      const auto last = static_cast<std::size_t>(31 - std::countl_zero(access.lanes));
      return may_expose(access.address[first], access.address[last], access.writes);
    }
    return may_expose_some(access);
  }
  // Counts those words of the access that have not been counted.
  void count(const run::Access& access, KernelTally& kernel, Place& place);

 private:
  static constexpr std::uint64_t kWordBytes = 4;
  static_assert(memory::kSharedWithHostBase % memory::kSharedWithHostBytes == 0);
  using Words = std::bitset<memory::kMinPageBytes / kWordBytes>;

  static bool is_hosts(std::uint64_t address) {
    return address / memory::kSharedWithHostBytes ==
           memory::kSharedWithHostBase / memory::kSharedWithHostBytes;
  }
  bool may_expose(std::uint64_t low, std::uint64_t high, bool writes) const {
    if (is_hosts(low) || is_hosts(high)) return true;
    return writes && high >= first_variable_ && low < end_of_variables_;
  }
  bool may_expose_some(const run::Access& access) const;
  const memory::Allocation* find(std::uint64_t address);

  std::uint64_t version_ = 0;  // of the book, when the variables were looked up
  std::uint64_t first_variable_ = UINT64_MAX;
  std::uint64_t end_of_variables_ = 0;
  memory::Allocation last_;                         // that was found
  std::unordered_map<std::uint64_t, Words> pages_;  // by page: words that count
};

}  // namespace count
