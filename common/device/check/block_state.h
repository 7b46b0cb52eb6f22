// SPDX-License-Identifier: MIT
// What the checks keep of a resident block.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "check/async_copies.h"
#include "check/async_proxy.h"
#include "check/barrier_paths.h"
#include "check/shared_shadow.h"
#include "check/stamp.h"
#include "report/words.h"
#include "run/warp.h"

namespace check {

using LaneTicks = std::array<std::uint32_t, run::kWarpSize>;

// Which accesses of each other a block, its warps and its threads know of (see order.h).
struct Knowledge {
  std::vector<std::uint32_t> ticks;  // of each warp's accesses before it; empty: of none
  std::uint64_t horizon = 0;         // of what was released until then
};

struct WarpOrder {
  std::uint32_t tick = 0;  // all lanes knew of each other's accesses before it
  // Beyond that, known[lane][other]: `lane` knows of `other`'s accesses before it. Empty: nothing.
  std::vector<LaneTicks> known;
  std::vector<std::uint32_t> ticks;  // all lanes know of each warp's accesses before it, or empty
  // A lane knows of what was released by then.
  std::array<std::uint64_t, run::kWarpSize> horizons = {};
};

struct BlockOrder {
  std::uint32_t ordinal = 0;  // which block it is, in stamps
  std::uint32_t tick = 1;     // its clock
  std::uint32_t barrier_tick = 0;
  std::uint64_t horizon = 0;       // all threads know of what was released until then ...
  std::uint64_t next_horizon = 0;  // ... and from the next barrier on, until then
  bool is_in_cluster = false;      // other blocks may use its shared memory
  Stamp stamp = 0;                 // of the ordinal and the tick: what all threads' stamps share
  std::vector<WarpOrder> warps;
  // What threads have brought to a barrier of a part of the block, by which one it is.
  std::unordered_map<const void*, Knowledge> brought;

  bool overflowed() const { return tick >= kMaxTick; }  // too many ticks: no findings
};

// The last access of a warp of another block to this block's shared memory.
struct RemoteAccess {
  Stamp stamp = 0;
  const code::Instruction* by = nullptr;
  report::ThreadId thread;
  bool writes = false;
};

struct BlockState {
  run::Block* block = nullptr;
  BlockOrder order;
  SharedShadow shared;
  AsyncCopies copies;
  AsyncProxy proxy;
  BarrierPaths paths;
  std::vector<RemoteAccess> remote_accesses;
  const code::Instruction* last_barrier = nullptr;  // that all live threads have come to
};

}  // namespace check
