// SPDX-License-Identifier: MIT
// The state of a resident block: its warps and their lanes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/barrier_table.h"
#include "run/schedule.h"
#include "run/slot.h"
#include "simt/limits.h"
#include "simt/sync.h"
#include "simt/vector_types.h"
#include "simt/warp.h"

namespace simt::device {

struct Fiber;

// What the checkers keep of a block, the counters of a warp and of a lane (see events.h).
struct BlockChecks;
struct WarpTrace;
struct LaneTrace;

// threadIdx of the thread with this number in its block.
inline uint3 thread_index_of(int id, dim3 dim) {
  const auto thread = static_cast<unsigned>(id);
  return {thread % dim.x, thread / dim.x % dim.y, thread / dim.x / dim.y};
}

// One CUDA thread. What a turn at a barrier uses lies in one line of the processor's cache.
struct alignas(64) Lane {
  uint3 index = {};             // threadIdx
  Fiber* fiber = nullptr;       // null before it first runs and after it has ended
  const void* pc = nullptr;     // while it does not run: the return address of the call it is in
  const void* frame = nullptr;  // with pc, for barriers and warp operations (see Place)
  const void* last_poll = nullptr;     // the address it polled last
  const void* last_barrier = nullptr;  // the block's barrier it waited at last, as a pc
  std::uint32_t last_block = 0;        // the basic block in which its last turn ended (see path.h)

  // The warp operation it waits in, or was last in.
  WarpOperation operation = {};
  std::uint32_t mask = 0;
  int source_lane = 0;
  std::uint64_t value = 0;
  std::uint64_t result = 0;
  bool source_is_missing = false;  // a shuffle's, although the mask names it
  int named_barrier = 0;           // at which it waits, or waited last

  LaneTrace* trace = nullptr;  // part of its warp's
};

// Each live lane's bit is in exactly one of the sets below `live`.
struct Warp {
  int id = 0;
  std::uint32_t live = 0;        // has not exited
  std::uint32_t ready = 0;       // runs, or can run
  std::uint32_t yielded = 0;     // polls memory; runs again when the others have had their turn
  std::uint32_t paused = 0;      // has recorded much; runs again when the others have caught up
  std::uint32_t at_barrier = 0;  // in __syncthreads
  std::uint32_t at_named_barrier = 0;
  std::uint32_t at_grid_barrier = 0;  // in sync_grid
  std::uint32_t in_operation = 0;     // in a warp operation
  std::uint32_t converging = 0;       // in __activemask
  std::array<Lane, kWarpSize> lanes;
  Slot<WarpTrace> trace = empty_slot<WarpTrace>();  // empty unless the kernel is being counted

  int thread_id(int lane) const { return id * kWarpSize + lane; }
};

struct Block {
  // For launches with blocks of that shape. warps[i] is the warp that is i-th in the schedule.
  Block(dim3 dim, const Schedule& schedule);

  // Makes it block `block_index`, with all threads ready to start.
  void start(uint3 block_index);

  // Makes threads ready: those that polled, or polled one address, those at the block's barrier, at
  // the grid's.
  void resume_yielded();
  void resume_pollers(const void* address);
  void release_barrier();
  void release_grid_barrier();

  // Notes that the warp has a ready or a converging lane. `runnable` has one bit for each element
  // of `warps`.
  void mark_runnable(const Warp& warp) { runnable |= 1u << (&warp - warps.data()); }

  bool has_yielded() const;

  uint3 index = {};  // blockIdx
  int num_threads;
  std::vector<Warp> warps;
  std::uint32_t runnable = 0;  // see mark_runnable
  int live = 0;                // threads
  int at_barrier = 0;          // threads
  int at_grid_barrier = 0;     // threads

  BarrierTable named_barriers;
  std::array<Exchanged, kMaxThreadsPerBlock / kWarpSize> exchanged;

  // The barrier that threads wait at.
  const void* barrier_pc = nullptr;        // of the first to arrive
  BarrierCall barrier_call;                // the same
  bool barrier_is_mixed = false;           // others arrived by another call
  int predicates = 0;                      // of those that arrived, how many were not 0
  const void* grid_barrier_pc = nullptr;   // of the last to arrive at the grid's
  bool interrupted = false;                // after it other blocks have their turn
  bool holds_back = false;                 // a thread of it has let others run before it writes
  std::uint64_t turn = 0;                  // the last one that it has had, among those of all
  std::uint64_t num_barriers = 0;          // that it has passed
  std::uint64_t num_counted_barriers = 0;  // the grid's, too; only while the kernel is counted
  std::uint64_t num_atomics = 0;           // of its threads, the same
  std::uint64_t num_sectors = 0;           // of global memory that its requests moved, the same
  int released_threads = 0;                // what the last barrier found
  int released_predicates = 0;

  Slot<BlockChecks> checks = empty_slot<BlockChecks>();
  std::vector<std::byte> shared_image;  // shared memory, while another block runs
};

}  // namespace simt::device
