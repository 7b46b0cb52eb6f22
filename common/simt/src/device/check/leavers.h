// SPDX-License-Identifier: MIT
// What a block keeps for check/skipped_barrier.h.
#pragma once

#include <cstdint>
#include <vector>

#include "program/source_line.h"
#include "simt/vector_types.h"

namespace simt::device {

struct SkippedBarriers {
  // A thread that has ended since the block's last barrier, and where it was in its last turn.
  struct Leaver {
    uint3 thread;
    const void* begin;                // the barrier it last waited at; null: at none
    bool is_amid_block;               // its turn began inside path[0]
    std::vector<std::uint32_t> path;  // its basic blocks
    bool ends_with_access;            // the last one accesses memory
  };
  struct Step {
    std::uint32_t block;
    uint3 thread;  // the leaver
  };

  // Basic blocks of the function at smaller addresses are in front of the barrier.
  struct Position {
    CodeRange function;
    std::uint32_t end_of_front;
  };

  std::vector<Leaver> leavers;
  std::vector<std::uint32_t> way;  // the basic blocks of a thread from the last barrier to this one
  bool is_way_known = false;
  std::vector<Step> watched;         // basic blocks behind the barrier that leavers executed
  const void* barrier_pc = nullptr;  // which barrier
  std::vector<Position> positions;   // its places in the functions
  // A thread's first basic blocks: that of the launch's own code, if it has one, and the kernel's.
  std::vector<std::uint32_t> entry;
  std::vector<std::uint32_t> back;  // by warp: lanes that have come back in front of it
};

}  // namespace simt::device
