// SPDX-License-Identifier: MIT
// A launch, as all of its blocks see it.
#pragma once

#include <cstdint>
#include <optional>

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
