// SPDX-License-Identifier: MIT
// A warp's asynchronous copies (cp.async) that have not arrived: which of them a wait leaves under
// way. Copies that are not committed are in no batch that a wait could leave.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "count/tally.h"
#include "run/monitor.h"

namespace count {

class AsyncCopies {
 public:
  void clear() {
    copies_.clear();
    batches_ = {};
  }

  // One by each lane.
  void begin(Place& place, std::uint32_t lanes) {
    for (; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<std::uint8_t>(std::countr_zero(lanes));
      copies_.push_back({&place, batches_[lane], lane, false});
    }
  }

  void commit(std::uint32_t lanes) {
    for (; lanes != 0; lanes &= lanes - 1) {
      ++batches_[static_cast<std::size_t>(std::countr_zero(lanes))];
    }
  }

  // The lanes wait for all batches but the last num_left. Counts each copy of these once.
  void wait(std::uint32_t lanes, std::uint32_t num_left) {
    std::erase_if(copies_, [&](Copy& copy) {
      if ((lanes >> copy.lane & 1) == 0) return false;
      const std::uint32_t num_batches = batches_[copy.lane];
      if (copy.batch + num_left < num_batches) return true;
      if (copy.batch < num_batches && !copy.was_left) {
        copy.was_left = true;
        copy.place->counters[Counter::kCopiesOutlastingWaits] += 1;
      }
      return false;
    });
  }

 private:
  struct Copy {
    Place* place;
    std::uint32_t batch;
    std::uint8_t lane;
    bool was_left;
  };
  std::vector<Copy> copies_;
  std::array<std::uint32_t, run::kWarpSize> batches_ = {};
};

}  // namespace count
