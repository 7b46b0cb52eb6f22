// SPDX-License-Identifier: MIT
// Passes a running launch's events to the checkers, and to the counters or the recorder if the
// kernel is being counted or recorded.
#include "run/events.h"

#include <algorithm>
#include <utility>

#include "check/block_checks.h"
#include "check/launch_checks.h"
#include "check/order.h"
#include "check/races.h"
#include "check/skipped_barrier.h"
#include "check/warp_masks.h"
#include "count/merge.h"
#include "count/tally.h"
#include "count/trace.h"
#include "program/address.h"
#include "record/recorder.h"
#include "run/block.h"
#include "run/named_barrier.h"
#include "run/path.h"
#include "run/running.h"
#include "run/shared_memory.h"
#include "run/untraced.h"

namespace simt::device {
namespace {

// Threads have left this block while others waited: rare, and asked at each turn.
bool is_looking_for_skips() { return !running.checks->skips.watched.empty(); }

void count_barrier(Block& block, const void* pc) {
  tally().count(pack_pc(pc), Counter::kBarriers, 1);
  tally().count_most(pack_pc(pc), Counter::kBarriersMaxPerBlock, ++block.num_counted_barriers);
}

template <class LanesOf>
void share_longest_chain(Block& block, LanesOf lanes_of) {
  std::uint64_t chain = 0;
  for (const Warp& warp : block.warps) chain = std::max(chain, longest_chain(warp, lanes_of(warp)));
  for (Warp& warp : block.warps) share_chain(warp, lanes_of(warp), chain);
}

// Lanes of a block have met at a barrier and go on.
template <class LanesOf>
void record_meeting(Block& block, LanesOf lanes_of) {
  share_longest_chain(block, lanes_of);
  for (Warp& warp : block.warps) record_barrier(warp, lanes_of(warp));
}

}  // namespace

void on_block_made(Block& block) {
  block.checks = make_checks(block);
  if (is_recording()) return record_block_made(block);
  if (is_counting()) make_traces(block);
}

void on_block_start(Block& block) {
  if (running.is_silent) return;
  begin_block_checks(*block.checks);
  if (is_recording()) return record_block_start(block);
  if (is_counting()) begin_traces(block);
}

void on_block_end(const Block& block) {
  if (running.is_silent) return;
  end_block_checks(*block.checks);
  if (is_recording()) record_block_end(block);
}

void on_shared_memory_leaves() { settle_race(); }

void on_shared_memory_fresh(Block& block, const SharedMemory& memory) {
  block.checks->shared.reset(memory.static_memory(), memory.dynamic_memory());
}

void on_turn_begin() { order_turn_begin(); }

void on_turn_end() {
  if (is_looking_for_skips()) look_for_skipped_barrier();
  if (is_recording()) record_value_written();
  if (has_stepped()) running.lane->last_block = block_at(running.steps);
}

void on_first_at_barrier() {
  if (!running.is_silent) note_waiter();
}

void on_lane_end() {
  if (is_looking_for_skips()) look_for_skipped_barrier();
  if (is_recording()) record_value_written();
  note_leaver();
}

void on_barrier(Block& block) {
  watch_leavers(block);
  order_barrier(*block.checks);
  if (is_recording()) return record_barrier_of(block);
  if (!is_counting()) return;
  const Untraced untraced;  // what it allocates is not the kernel's
  merge_traces(*running.warp);
  count_barrier(block, block.barrier_pc);
  record_meeting(block, [](const Warp& warp) { return warp.at_barrier; });
}

void on_named_barrier(Block& block, int number) {
  if (is_recording() || !is_counting()) return;
  const Untraced untraced;  // what it allocates is not the kernel's
  if (running.warp->ready == 0) merge_traces(*running.warp);
  count_barrier(block, block.named_barriers[number].pc);
  record_meeting(block, [number](const Warp& warp) { return lanes_at(warp, number); });
}

// The lanes of a warp meet when they go on (see phase_counter.cpp).
void on_phase_of_block(Block& block, const void* pc) {
  if (is_recording() || !is_counting()) return;
  const Untraced untraced;  // what it allocates is not the kernel's
  count_barrier(block, pc);
  share_longest_chain(block, [](const Warp& warp) { return warp.live; });
}

void on_grid_barrier() { order_grid_barrier_begin(); }

void on_grid_barrier(Block& block) {
  order_grid_barrier_block(*block.checks);
  if (is_recording()) return record_grid_barrier_of(block);
  if (!is_counting()) return;
  if (block.at_grid_barrier != 0) count_barrier(block, block.grid_barrier_pc);
  record_meeting(block, [](const Warp& warp) { return warp.at_grid_barrier; });
}

// Shuffles, votes and matches exchange registers. They do not order memory.
void on_warp_operation(Warp& warp, std::uint32_t group, WarpOperation operation) {
  check_absent_lanes(warp, group);
  if (running.is_silent) return;
  if (operation == WarpOperation::kSync) order_warp_sync(warp, group);
  if (is_recording()) return record_operation_of(warp, group, operation);
  record_operation(warp, group, Meeting::kCounted);
}

void on_convergence(Warp& warp, std::uint32_t group) {
  if (!is_recording()) record_operation(warp, group, Meeting::kUncounted);
}

void on_warp_stalls(Warp& warp) {
  if (is_recording()) return release_first(warp);
  merge_traces(warp);
}

void on_yield() {
  if (running.trace != nullptr) running.trace->height = 0;  // it returns inside a basic block
}

}  // namespace simt::device
