// SPDX-License-Identifier: MIT
// Finds threads that bypass a barrier of their block and leave the kernel while others wait there.
//
// A thread that has returned no longer counts at barriers, and returning early is allowed. So the
// ways decide: of the thread that left, and of one that waits. Where they part, at a branch, they
// would meet again at the branch's post-dominator. The thread that left has bypassed the barrier if
// it came to that place, and did something there, while the other one is still before it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "code/program.h"
#include "run/warp.h"

namespace check {

using Way = std::vector<const code::Block*>;

// What functions the blocks belong to.
class BlockMap {
 public:
  explicit BlockMap(const code::Program& program) : program_(program) {}

  const code::Function& function_of(const code::Block& block) const;
  // Where the block's ways come together again; for the last block of a called function and a way
  // that leads there, the place behind the call. Null: the end of the kernel.
  const code::Block* meeting_place(const Way& way, std::size_t at) const;
  // The first instruction on the way from `at` on that a finding can name; null: there is none, so
  // a thread that follows the way only leaves.
  const code::Instruction* first_deed(const Way& way, std::size_t at) const;
  // The same behind an instruction of the last block of the way.
  const code::Instruction* deed_behind(const code::Block& block,
                                       const code::Instruction& instruction) const;
  const code::Block& block_of(const code::Instruction& instruction) const;

 private:
  const code::Instruction* deed_in(const code::Function& function, std::size_t begin,
                                   std::size_t end, bool goes_on) const;
  const code::Program& program_;
};

// What the thread did behind the barrier that it bypassed; null if it bypassed none.
const code::Instruction* bypasses(const BlockMap& map, const Way& left, const Way& waits,
                                  const code::Instruction& barrier);

// Whether the kernel, or a function that it may call, has a barrier of a block.
bool may_meet_barriers(const code::Program& program, const code::Function& kernel);

// The ways of a block's threads since its last barrier.
class BarrierPaths {
 public:
  void begin(const run::Block& block);
  void enter(const run::Warp& warp, const code::Block& block, std::uint32_t lanes);

  // All live threads have come to the barrier. A thread that has left since the last one and
  // bypassed this one, if there is one.
  struct Bypass {
    std::uint32_t thread = 0;
    const code::Instruction* deed = nullptr;
  };
  std::optional<Bypass> meet(const run::Block& block, const BlockMap& map,
                             const code::Instruction& barrier);

 private:
  struct Step {
    const code::Block* block;
    std::uint32_t lanes;
  };
  struct Steps {
    std::vector<Step> steps;
    std::uint32_t live = 0;      // at the last barrier
    bool is_incomplete = false;  // too many
  };

  static Way way_of(const Steps& warp, std::uint32_t lane);
  std::optional<Bypass> look_for(const run::Block& block, const BlockMap& map,
                                 const code::Instruction& barrier) const;

  std::vector<Steps> warps_;
};

}  // namespace check
