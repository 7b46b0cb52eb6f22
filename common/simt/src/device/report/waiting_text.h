// SPDX-License-Identifier: MIT
// Messages about threads that wait for each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/words.h"

namespace simt::device {

enum class WaitsFor {
  kBlockBarrier,
  kNamedBarrier,
  kGridBarrier,
  kMemory,
  kSyncwarp,
  kWarpOperation
};

// The barrier of a part of a block.
struct PartialBarrier {
  int number;
  int arrived;
  int expected;
};

struct WaitingThread {
  int id;          // in its block
  const void* pc;  // the return address of the call in which it waits
  WaitsFor what;
  std::uint32_t mask;  // of a warp operation
  PartialBarrier barrier;
};

// "threads 0-31 wait at the block's barrier in line 12, thread 40 polls memory in line 20". The
// threads are in order of their ids.
std::string waiting_text(const std::vector<WaitingThread>& threads);

// Continues waiting_text: `missing` do not come to the warp operation in which `caller` waits.
std::string skipped_operation_text(const WaitingThread& caller,
                                   const std::vector<WaitingThread>& missing);

// The threads at one barrier of the block came by different calls.
std::string mixed_barrier_text(const std::string& block, const void* pc,
                               const std::vector<WaitingThread>& threads);

// A thread has left the kernel without a barrier of its block, after it had gone past it.
std::string skipped_barrier_text(const ThreadId& thread, const void* barrier_pc,
                                 const void* behind_pc);

// A thread that calls a warp operation, and its lane in the warp.
struct Caller {
  ThreadId thread;
  int lane;
  std::uint32_t mask;  // that it gives
};

// The caller's lane is not part of its mask.
std::string outside_mask_text(const Caller& caller);

// A lane that its mask names has made the same call with another mask.
std::string different_masks_text(const Caller& caller, int other_lane, std::uint32_t other_mask);

// Its shuffle has read a lane that its mask names but that is no longer there.
std::string missing_source_text(const Caller& caller, int source_lane);

}  // namespace simt::device
