// SPDX-License-Identifier: MIT
// How long a warp takes by itself: the longest path of what it executes.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "time/block_cost.h"
#include "time/path.h"

namespace timing {

class WarpTime {
 public:
  // For the result of an instruction of an earlier region; null: there is none.
  struct Wait {
    const code::Instruction* instruction = nullptr;
    Path path;
  };

  // A region. Returns what the warp waits for besides what the region's own cost has.
  Wait execute(const BlockCost& block);
  Path wait_until(const Path& path);  // returns how long
  const Path& now() const { return now_; }

  // Asynchronous copies, in groups: each takes a load from where it is committed.
  void commit_copies() { copies_.push_back(now_ + Path{0, 1}); }
  void wait_for_copies(std::uint32_t num_left);

 private:
  struct Pending {
    Row row;
    Path ready;
    const code::Instruction* instruction = nullptr;
  };
  Path now_;
  std::vector<Pending> pending_;  // results that are not there yet
  std::deque<Path> copies_;       // that are not waited for: when they arrive
};

}  // namespace timing
