// SPDX-License-Identifier: MIT
// Messages about threads that wait for each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/words.h"

namespace report {

enum class WaitsFor {
  kBlockBarrier,
  kNamedBarrier,
  kGridBarrier,
  kClusterBarrier,
  kWarpgroup,
  kMemory,
  kBarrierObject,
  kSyncwarp,
  kWarpOperation
};

// The barrier of a part of a block.
struct PartialBarrier {
  int number = 0;  // negative: of a tile, which has no number
  std::uint32_t arrived = 0;
  std::uint32_t expected = 0;
};

// A barrier object in shared memory (mbarrier), and its phase that is not complete.
struct ObjectWait {
  std::string name;  // "full", "byte 8 of full"
  std::uint32_t parity = 0;
  std::uint32_t arrived = 0;
  std::uint32_t expected = 0;
  std::int64_t missing_bytes = 0;  // of bulk copies; negative: more than were announced have come
};

struct WaitingThread {
  std::uint32_t id = 0;  // in its block
  Place place;           // of the operation in which it waits
  WaitsFor what = WaitsFor::kBlockBarrier;
  std::uint32_t mask = 0;  // of a warp operation
  PartialBarrier barrier = {};
  ObjectWait object = {};
};

// "threads 0-31 wait at the block's barrier in line 12, thread 40 polls memory in line 20". The
// threads are in order of their ids.
std::string waiting_text(const std::vector<WaitingThread>& threads);

// Continues waiting_text: `missing` do not come to the warp operation in which `caller` waits.
std::string skipped_operation_text(const WaitingThread& caller,
                                   const std::vector<WaitingThread>& missing);

// How far the grid is, for a message that names one block.
struct Progress {
  std::uint64_t num_resident = 0;  // blocks
  std::uint64_t num_ended = 0;
  std::uint64_t num_not_started = 0;
  std::uint64_t max_resident = 0;
  bool is_beside_others = false;  // the schedule pretends that other programs use the device
};
std::string progress_text(const Progress& progress);

// No thread can go on. `block`: its name. `mismatch`: warp operations that do not match are why.
std::string deadlock_text(const std::string& block, const std::vector<WaitingThread>& threads,
                          bool mismatch);

// A loop without an end that touches no memory; one that takes too long, with others or alone.
std::string endless_loop_text(const std::string& thread);
std::string too_long_text(const std::string& thread, std::uint64_t seconds);
std::string long_turn_text(const std::string& thread, std::uint64_t seconds);

// The threads at one barrier of the block came by different calls. `place`: of the finding.
std::string mixed_barrier_text(const std::string& block, const Place& place,
                               const std::vector<WaitingThread>& threads);

// A thread has left the kernel without a barrier of its block, after it had gone past it.
std::string skipped_barrier_text(const ThreadId& thread, const Place& barrier, const Place& behind);

// grid.sync() in a launch that is not cooperative.
std::string not_cooperative_text(const std::string& thread);

// A thread that calls a warp operation, and its lane in the warp.
struct Caller {
  ThreadId thread;
  std::uint32_t lane = 0;
  std::uint32_t mask = 0;  // that it gives
};

// The caller's lane is not part of its mask.
std::string outside_mask_text(const Caller& caller);
// A lane that its mask names has made the same call with another mask.
std::string different_masks_text(const Caller& caller, std::uint32_t other_lane,
                                 std::uint32_t other_mask);
// Its shuffle has read a lane that its mask names but that is no longer there.
std::string shuffle_width_text(const Caller& caller, std::uint32_t width);
std::string missing_source_text(const Caller& caller, std::uint32_t source_lane);

}  // namespace report
