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
  // A wait for the result of an instruction of an earlier block; its number in the function.
  struct Wait {
    std::uint32_t instruction = 0;
    Path path;
  };

  // A basic block. Returns what the warp waits for besides what the block's own cost has.
  Wait execute(const BlockCost& block);
  void wait_until(const Path& path) { now_ = longer(now_, path); }
  const Path& now() const { return now_; }

  // Asynchronous copies, in groups: each takes a load from where it is committed.
  void commit_copies() { copies_.push_back(now_ + Path{0, 1}); }
  void wait_for_copies(std::uint32_t num_left);

 private:
  struct Pending {
    Row row;
    Path ready;
    std::uint32_t instruction = 0;
  };
  Path now_;
  std::vector<Pending> pending_;  // results that are not there yet
  std::deque<Path> copies_;       // that are not waited for: when they arrive
};

}  // namespace timing
