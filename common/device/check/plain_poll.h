// SPDX-License-Identifier: MIT
// Threads that wait for others by plain loads. A compiler may make such a load once, before the
// loop, which then never ends. If the others write by plain or volatile stores, the two are a race
// in any case. A plain load next to atomic operations is none, since it may be an optimistic one,
// unless it is made again and again until it sees what it waits for.
#pragma once

#include <cstdint>
#include <vector>

#include "check/block_state.h"
#include "check/race_pass.h"
#include "check/races.h"
#include "run/monitor.h"
#include "run/warp.h"

namespace check {

class PlainPolls {
 public:
  explicit PlainPolls(Races& races) : races_(races) {}

  void begin_launch();

  // A warp enters a block of code. `changes` and `switches` count what has been written, and how
  // often another warp went on, in the launch.
  void enter(const run::Warp& warp, std::uint64_t changes, std::uint64_t switches) {
    if (changes != changes_ || switches != switches_) return note_activity(changes, switches);
    if (++quiet_steps_ == kLongWait) watch(warp);
  }
  // A loop with a fence loads anew in each round.
  void fence(const run::Warp& warp);

  bool is_watching() const { return !watched_.empty(); }
  // While it watches, after the check of each access.
  void look(const BlockState& block, const run::Warp& warp, const run::Access& access,
            const RaceTarget& target);

 private:
  // So many blocks of code in which nothing changes are a wait, if all the while the same places
  // are read.
  static constexpr std::uint64_t kLongWait = 4096;
  static constexpr std::uint32_t kManyReads = 64;
  static constexpr std::size_t kMaxPolls = 8;  // load instructions in the loop

  struct Poll {
    const code::Instruction* instruction;
    std::uint64_t address;
    Stamp write;  // the last one to it so far
    std::uint32_t num_reads;
  };
  struct Watched {
    const run::Warp* warp;
    std::vector<Poll> polls;
  };

  void note_activity(std::uint64_t changes, std::uint64_t switches);
  void watch(const run::Warp& warp);
  void forget(const run::Warp& warp);

  Races& races_;
  std::uint64_t changes_ = 0;
  std::uint64_t switches_ = 0;
  std::uint64_t quiet_steps_ = 0;
  std::vector<Watched> watched_;
};

}  // namespace check
