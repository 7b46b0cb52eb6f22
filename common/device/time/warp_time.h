// SPDX-License-Identifier: MIT
// How long a warp takes by itself: the longest path of what it executes.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
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

  // Begins a region. Returns what the warp waits for besides what the region's own cost has.
  Wait execute(const BlockCost& block, Work& work);
  // Goes on to the next stop of its region, or to its end.
  void go_on(Work& work);
  Path wait_until(const Path& path);  // returns how long
  const Path& now() const { return now_; }
  // Since the last call.
  Lead take_lead() { return std::exchange(lead_, {}); }

  // Asynchronous copies, in groups: each takes a load from where it is committed.
  void copy() { has_copies_ = true; }
  void commit_copies(Work& work);
  void wait_for_copies(std::uint32_t num_left, Work& work);

 private:
  struct Pending {
    Row row;
    Path ready;
    const code::Instruction* instruction = nullptr;
  };
  void finish(Work& work);

  Path now_;
  Lead lead_;
  const BlockCost* region_ = nullptr;  // that it is in
  std::size_t next_piece_ = 0;
  std::vector<Pending> pending_;  // results that are not there yet
  std::deque<Path> copies_;       // groups that are not waited for: when they arrive
  bool has_copies_ = false;       // that no group has yet
};

}  // namespace timing
