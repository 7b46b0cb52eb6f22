// SPDX-License-Identifier: MIT
// A launch, as all of its blocks see it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "run/fault.h"
#include "run/schedule.h"
#include "simt/launch.h"

namespace simt::device {

struct Launch {
  LaunchSite site;
  LaunchConfig config;
  detail::Closure closure;
  bool is_counted;
  bool is_traced;  // counted or recorded
  Schedule schedule;
  bool has_nested = false;          // a thread has tried to launch a kernel
  bool loses_updates = false;       // see hold_back() in poll.h
  bool may_meet_barriers = true;    // its blocks' threads; known after the first block
  std::uint64_t num_barriers = 0;   // that blocks have passed
  std::uint64_t most_sectors = 0;   // that one block has moved; only while it is counted
  std::optional<Fault> fault = {};  // why the kernel was ended

  std::vector<std::uintptr_t> words_read = {};  // see reads_few_words()

  // Whether the bytes lie in the kernel's arguments, as the launch keeps them.
  bool holds_argument(std::uintptr_t address, std::size_t size_bytes) const {
    const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(closure.object);
    return offset < closure.size_bytes && size_bytes <= closure.size_bytes - offset;
  }

  // Notes words of the host's memory that the launch reads besides. Returns whether they are few.
  bool reads_few_words(std::uintptr_t address, std::size_t size_bytes) {
    constexpr std::size_t kWordBytes = 8;
    constexpr std::size_t kMaxWords = 8;
    for (std::uintptr_t word = address / kWordBytes; word * kWordBytes < address + size_bytes;
         ++word) {
      if (std::ranges::find(words_read, word) != words_read.end()) continue;
      if (words_read.size() == kMaxWords) return false;
      words_read.push_back(word);
    }
    return true;
  }

  // blockIdx of the block that is n-th to start.
  uint3 nth_block(std::uint64_t n) const {
    const std::uint64_t id = schedule.blocks(n);
    const std::uint64_t row = id / config.grid.x;
    return {static_cast<unsigned>(id % config.grid.x), static_cast<unsigned>(row % config.grid.y),
            static_cast<unsigned>(row / config.grid.y)};
  }

  // Whether the block barrier that is complete now ends its block's turn. Never while counting: a
  // warp that waits for another block splits its requests.
  bool draw_interruption(std::uint64_t n_in_block) {
    return !is_counted && schedule.interrupts(num_barriers++, n_in_block);
  }
};

}  // namespace simt::device
