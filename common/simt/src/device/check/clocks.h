// SPDX-License-Identifier: MIT
// Which accesses of each other a block, its warps and its threads know of (see order.h).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "check/stamp.h"
#include "simt/limits.h"

namespace simt::device {

using LaneTicks = std::array<std::uint32_t, kWarpSize>;

struct WarpOrder {
  std::uint32_t tick = 0;  // all lanes knew of each other's accesses before it
  // Beyond that, tick [lane][other]: `lane` knows of `other`'s accesses before it. Empty if
  // nothing.
  std::vector<LaneTicks> known;
  std::array<std::uint64_t, kWarpSize> horizons = {};  // a lane knows of what was released by then
};

struct BlockOrder {
  std::uint32_t ordinal = 0;  // which block it is, in stamps
  std::uint32_t tick = 1;     // its clock
  std::uint32_t barrier_tick = 0;
  std::uint64_t horizon = 0;       // all threads know of what was released until then ...
  std::uint64_t next_horizon = 0;  // ... and from the next barrier on, until then
  Stamp stamp = 0;                 // of the ordinal and the tick: what all threads' stamps share

  bool overflowed() const { return tick >= kMaxTick; }  // too many ticks: no findings
};

}  // namespace simt::device
