// SPDX-License-Identifier: MIT
#include "scheduler.h"

#include <bit>

#include "barrier.h"
#include "fault.h"
#include "fiber.h"
#include "grid.h"
#include "merge.h"
#include "warp_operations.h"

namespace simt::device {
namespace {

FiberPool fibers;

// The stack that launched the kernel: see Running::stack_low.
Fiber host_fiber{.stack_low = kHostLow, .stack_bytes = kHostBytes};

// Makes the next lane of the running block the running one and returns it; null if none can run.
// Stays with a warp while it has ready lanes, then takes the first warp in order that has some. A
// kernel that is counted is so when its warps are left.
Lane* select_lane() {
  Block& block = *running.block;
  Warp* warp = running.warp;
  if (block.interrupted) return nullptr;
  for (;;) {
    if (warp->ready == 0 && warp->trace != nullptr) merge_traces(*warp);
    if (warp->ready == 0 && warp->converging != 0) release_converged(*warp);
    if (warp->ready != 0) break;
    block.runnable &= ~(1u << (warp - block.warps.data()));
    if (block.runnable == 0) return nullptr;
    warp = &block.warps[std::countr_zero(block.runnable)];
  }
  running.warp = warp;
  running.lane_id = running.grid->schedule().lanes.first(warp->ready);
  Lane& lane = running.lane();
  thread_index = lane.index;
  return &lane;
}

// The selected lane starts on the fiber.
void begin_trace(const Fiber& fiber) {
  if (running.warp->trace == nullptr) return;
  LaneTrace& trace = running.warp->trace->lanes[running.lane_id];
  trace.stack_top = fiber.stack_low + fiber.stack_bytes;
  trace.height = 0;
}

// Where the lane that was selected for the fiber is recorded; null: nowhere.
LaneTrace* selected_trace(const Fiber& fiber) {
  if (&fiber == &host_fiber || running.warp->trace == nullptr) return nullptr;
  return &running.warp->trace->lanes[running.lane_id];
}

// The fiber that runs next: that of the lane whose turn it is, or the host's.
Fiber& select_fiber() {
  const Untraced untraced;
  Lane* const lane = select_lane();
  if (lane == nullptr) return host_fiber;
  // A lane that has not started takes the last fiber that became free: this very one, if the lane
  // that ran on it has just ended. So blocks whose threads never wait need one fiber and no switch.
  if (lane->fiber == nullptr) {
    lane->fiber = fibers.acquire();
    begin_trace(*lane->fiber);
  }
  return *lane->fiber;
}

void switch_to(Fiber& next) {
  Fiber& self = *running.fiber;
  running.fiber = &next;
  running.stack_low = next.stack_low;
  running.stack_bytes = next.stack_bytes;
  ++running.switches;
  switch_fiber(self, next);
}

// The running lane has ended; its fiber is free for another.
void end_lane() {
  running.lane().fiber = nullptr;
  {
    const Untraced untraced;
    fibers.release(running.fiber);
  }
  Warp& warp = *running.warp;
  warp.live &= ~running.lane_bit();
  warp.ready &= ~running.lane_bit();
  --running.block->live;
  ++running.changes;
  // The others wait for one thread less.
  if (running.block->at_barrier != 0) release_barrier_if_complete(*running.block);
  if (warp.in_operation != 0) complete_operations(warp);
  run_others();
}

}  // namespace

void fiber_main() {
  for (;;) {
    running.grid->run_thread_body();
    end_lane();  // returns on this fiber's next turn, with another lane to run
  }
}

void run_others() {
  Fiber& next = select_fiber();
  running.trace = selected_trace(next);
  if (&next != running.fiber) switch_to(next);
}

void run_block(Block& block) {
  running.fiber = &host_fiber;
  running.block = &block;
  running.warp = &block.warps.front();
  block_index = block.index;
  run_others();
}

void leave_kernel() {
  running.trace = nullptr;
  switch_to(host_fiber);
  __builtin_unreachable();
}

void abandon_fibers() { fibers.abandon_all(); }

}  // namespace simt::device
