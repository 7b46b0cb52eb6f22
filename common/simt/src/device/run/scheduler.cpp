// SPDX-License-Identifier: MIT
#include "run/scheduler.h"

#include <pthread.h>

#include <bit>
#include <exception>
#include <string>
#include <utility>

#include "program/address.h"
#include "report/debugger.h"
#include "run/barrier.h"
#include "run/block.h"
#include "run/built_ins.h"
#include "run/events.h"
#include "run/fiber.h"
#include "run/launch.h"
#include "run/named_barrier.h"
#include "run/part.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/untraced.h"
#include "run/warp_operations.h"

namespace simt::device {
namespace {

FiberPool fibers;

// The stack that launched the kernel: see Running::stack_low.
Fiber host_fiber{.stack_low = kHostLow, .stack_bytes = kHostBytes, .returns = {}};

// Most of a switch is waiting for the other stack, which has left the nearest cache. So fetches the
// stack of the lane that will probably be the next but one.
inline void prefetch_after_next(const Warp& warp) {
  constexpr std::size_t kLine = 64;
  const std::uint32_t later = warp.ready & (warp.ready - 1);
  if (later == 0) return;
  const Fiber* const fiber = warp.lanes[std::countr_zero(later)].fiber;
  if (fiber == nullptr) return;
  const auto* const stack = static_cast<const char*>(fiber->context);
  __builtin_prefetch(stack);
  __builtin_prefetch(stack + kLine);
}

// Makes the first ready lane of the warp the running one.
[[gnu::always_inline]] inline void run_first_of(Warp& warp) {
  running.lane_id = running.launch->schedule.lanes.first(warp.ready);
  running.lane = &warp.lanes[running.lane_id];
  running.thread_id = static_cast<std::uint64_t>(warp.thread_id(running.lane_id));
  thread_index = running.lane->index;
}

// No lane of the warp is ready.
void stall(Warp& warp) {
  const Untraced untraced;
  if (warp.trace != nullptr) on_warp_stalls(warp);
  if (warp.ready == 0 && warp.converging != 0) release_converged(warp);
}

// Makes the next lane of the running block the running one and returns it; null if none can run.
// Stays with a warp while it has ready lanes, then takes the first warp in order that has some. A
// kernel that is counted is so when its warps are left.
Lane* select_lane() {
  Block& block = *running.block;
  Warp* warp = running.warp;
  if (block.interrupted) return nullptr;
  for (;;) {
    if (warp->ready == 0 && (warp->trace != nullptr || warp->converging != 0)) stall(*warp);
    if (warp->ready != 0) break;
    block.runnable &= ~(1u << (warp - block.warps.data()));
    if (block.runnable == 0) return nullptr;
    warp = &block.warps[std::countr_zero(block.runnable)];
    running.warp_turn_begin = running.steps;
  }
  running.warp = warp;
  run_first_of(*warp);
  return running.lane;
}

Fiber* acquire_fiber() {
  const Untraced untraced;
  return fibers.acquire();
}

// The fiber that runs next: that of the lane whose turn it is, or the host's.
Fiber& select_fiber() {
  Lane* const lane = select_lane();
  if (lane == nullptr) return host_fiber;
  // A lane that has not started takes the last fiber that became free: this very one, if the lane
  // that ran on it has just ended. So blocks whose threads never wait need one fiber and no switch.
  running.turn_begin = running.steps;
  running.last_access_step = 0;
  running.turn_pc = lane->fiber == nullptr ? nullptr : lane->pc;
  if (lane->fiber == nullptr) lane->fiber = acquire_fiber();
  return *lane->fiber;
}

inline void switch_to(Fiber& next) {
  Fiber& self = *running.fiber;
  running.fiber = &next;
  running.stack_low = next.stack_low;
  running.stack_bytes = next.stack_bytes;
  simt_return_stack = next.returns;
  ++running.switches;
  switch_fiber(self, next);
}

// The running lane has ended; its fiber is free for another.
void end_lane() {
  if (!running.is_silent) on_lane_end();
  running.lane->fiber = nullptr;
  Warp& warp = *running.warp;
  warp.live &= ~running.lane_bit();
  warp.ready &= ~running.lane_bit();
  --running.block->live;
  ++running.changes;
  // The others wait for one thread less.
  if (running.block->at_barrier != 0) release_barrier_if_complete(*running.block);
  if (running.block->named_barriers.is_used()) release_named_barriers(*running.block);
  if (warp.in_operation != 0) complete_operations(warp);
  if (running.is_silent && warp.ready != 0 && !running.block->interrupted) {
    run_first_of(warp);
    if (running.lane->fiber == nullptr) {  // it starts, and takes this fiber over
      running.lane->fiber = running.fiber;
      return;
    }
  }
  {
    const Untraced untraced;
    fibers.release(running.fiber);
  }
  run_others();
}

[[noreturn]] void end_with_exception(const char* what) {
  const Untraced untraced;
  end_kernel({cudaErrorLaunchFailure, FindingKind::kCrash,
              running_thread_name() + " threw an exception that left the kernel: " + what,
              nullptr});
}

// run_others() in general.
[[gnu::noinline]] void run_any() {
  if (running.fiber != &host_fiber) on_turn_end();
  Fiber& next = select_fiber();
  if (&next == &host_fiber) {
    running.trace = nullptr;
  } else {
    running.trace = running.lane->trace;
    on_turn_begin();
  }
  if (&next != running.fiber) switch_to(next);
}

// Runs the running lane's thread.
void run_thread_body() {
  const Launch& launch = *running.launch;
  Fiber& own = *running.fiber;
  own.stack_bytes = number(__builtin_frame_address(0)) - own.stack_low;
  running.stack_bytes = own.stack_bytes;
  try {
    return launch.closure.run(launch.closure.object);
  } catch (const std::exception& error) {
    end_with_exception(error.what());
  } catch (...) {
    end_with_exception("an object that is not a std::exception");
  }
}

}  // namespace

void fiber_main() {
  for (;;) {
    run_thread_body();
    end_lane();  // returns on this fiber's next turn, with another lane to run
  }
}

void run_others() {
  // Most turns of silent code go from lane to lane, and need nothing else.
  if (running.is_silent && running.warp->ready != 0 && !running.block->interrupted) {
    run_first_of(*running.warp);
    Fiber* const next = running.lane->fiber;
    if (next == running.fiber) return;
    prefetch_after_next(*running.warp);
    if (next != nullptr) return switch_to(*next);
  }
  run_any();
}

void run_block(Block& block) {
  running.fiber = &host_fiber;
  host_fiber.returns = simt_return_stack;
  running.block = &block;
  running.checks = block.checks.get();
  running.warp = &block.warps.front();
  running.warp_turn_begin = running.steps;
  block_index = block.index;
  run_others();
}

void end_kernel(Fault fault) {
  require_whole_launch();
  if (fault.kind) tell_debugger(*fault.kind, fault.message, Then::kEndsKernel);
  running.launch->fault = std::move(fault);
  running.trace = nullptr;
  switch_to(host_fiber);
  __builtin_unreachable();
}

void abandon_fibers() { fibers.abandon_all(); }

void take_fibers() {
  static pthread_t owner = pthread_self();
  if (pthread_equal(std::exchange(owner, pthread_self()), pthread_self()) == 0) abandon_fibers();
}

}  // namespace simt::device
