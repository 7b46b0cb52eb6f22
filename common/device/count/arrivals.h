// SPDX-License-Identifier: MIT
// Arrivals at barrier objects (mbarrier) of a block. Those of a phase that is a barrier of the
// block count with the barrier. The others are atomic operations of threads: a barrier object could
// serve as a counter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "count/tally.h"

namespace count {

class Arrivals {
 public:
  struct Group {  // of lanes, by one instruction
    std::uint64_t object;
    Place* place;
    std::uint32_t num_lanes;
  };

  void add(std::uint64_t object, Place& place, std::uint32_t num_lanes) {
    last_object_ = object;
    const auto same = std::ranges::find_if(pending_, [&](const Group& group) {
      return group.object == object && group.place == &place;
    });
    if (same == pending_.end()) {
      pending_.push_back({object, &place, num_lanes});
    } else {
      same->num_lanes += num_lanes;
    }
  }

  // A phase of the object at which the last lanes arrived is complete.
  template <class Visit>
  void take_phase(Visit visit) {
    std::erase_if(pending_, [&](const Group& group) {
      if (group.object != last_object_) return false;
      visit(group);
      return true;
    });
  }

  template <class Visit>
  void take_all(Visit visit) {
    for (const Group& group : pending_) visit(group);
    pending_.clear();
  }

 private:
  std::vector<Group> pending_;
  std::uint64_t last_object_ = 0;
};

}  // namespace count
