// SPDX-License-Identifier: MIT
// Threads that go past a barrier without it and leave the kernel, while others wait there.
//
// A thread that has returned no longer counts at barriers, and to return early is no mistake. So
// the code that such a thread has executed decides. It has gone past the barrier if it executed a
// basic block behind the barrier that a thread from the barrier executes, too, before that one
// comes back in front of the barrier. Basic blocks lie in memory in the order of the source
// (-fno-reorder-blocks), so "behind" is a larger address in the same function. But loops are tested
// at their end: what a thread that waits has executed as often on its way does not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "program/source_line.h"
#include "simt/vector_types.h"

namespace simt::device {

struct Block;

// What a block keeps for it.
struct SkippedBarriers {
  // A thread that has ended since the block's last barrier, and where it was in its last turn.
  struct Leaver {
    uint3 thread;
    const void* begin;                // the barrier it last waited at; null: at none
    bool is_amid_block;               // its turn began in the midst of path[0]
    std::vector<std::uint32_t> path;  // its basic blocks
    bool ends_with_access;            // the last one accesses memory
  };
  struct Step {
    std::uint32_t block;
    uint3 thread;  // the leaver
  };

  std::vector<Leaver> leavers;
  std::vector<std::uint32_t> way;  // the basic blocks of a thread from the last barrier to this one
  bool is_way_known = false;
  std::vector<Step> watched;         // basic blocks behind the barrier that leavers executed
  const void* barrier_pc = nullptr;  // which barrier
  CodeRange function;                // that it is in
  std::vector<std::uint32_t> back;   // by warp: lanes that have come back in front of it
};

// The running lane lets others run, or has ended.
void look_for_skipped_barrier();
// The running lane has ended.
void note_leaver();
// It is the first to come to the block's barrier.
void note_waiter();
// All live threads have come to the block's barrier.
void watch_leavers(Block& block);

}  // namespace simt::device
