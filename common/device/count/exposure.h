// SPDX-License-Identifier: MIT
// Memory that the host can read or write without a copy: managed and pinned memory. Its words count
// once in a launch.
#pragma once

#include <bit>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "count/counters.h"
#include "count/tally.h"
#include "memory/address_map.h"
#include "memory/book.h"
#include "memory/page.h"
#include "run/monitor.h"

namespace count {

bool is_hosts_too(std::uint64_t address);

class Exposure {
 public:
  void begin_launch();
  // The host may have read or written meanwhile what is exposed.
  void expose_anew() {
    if (!pages_.empty()) pages_ = {};
  }

  // Quick, and true too often.
  bool may_expose(const run::Access& access) const {
    if (!has_hosts_memory_) return false;
    if (access.pattern != run::Pattern::kOther) {
      const auto first = static_cast<std::size_t>(std::countr_zero(access.lanes));
      const auto last = static_cast<std::size_t>(31 - std::countl_zero(access.lanes));
      return is_hosts(access.address[first]) || is_hosts(access.address[last]);
    }
    // The host's part of the device's range is its last quarter.
    std::uint64_t bits = 0;
    for (const std::uint64_t address : access.address) bits |= address & address << 1;
    return (bits & kHostsBit) != 0;
  }
  // Counts those words of the access that have not been counted.
  void count(const run::Access& access, KernelTally& kernel, Place& place);

 private:
  static constexpr std::uint64_t kWordBytes = 4;
  static constexpr std::uint64_t kHostsBit = 2 * memory::kSharedWithHostBytes;
  static_assert(memory::kDeviceRangeBytes == 4 * memory::kSharedWithHostBytes &&
                memory::kDeviceBase % memory::kDeviceRangeBytes == 0 &&
                memory::kSharedWithHostBase ==
                    memory::kDeviceBase + 3 * memory::kSharedWithHostBytes);
  using Words = std::bitset<memory::kMinPageBytes / kWordBytes>;

  static bool is_hosts(std::uint64_t address) {
    return address / memory::kSharedWithHostBytes ==
           memory::kSharedWithHostBase / memory::kSharedWithHostBytes;
  }
  const memory::Allocation* find(std::uint64_t address);

  std::uint64_t version_ = 0;  // of the book, when that was looked up
  bool has_hosts_memory_ = false;
  memory::Allocation last_;                         // that was found
  std::unordered_map<std::uint64_t, Words> pages_;  // by page: words that count
};

}  // namespace count
