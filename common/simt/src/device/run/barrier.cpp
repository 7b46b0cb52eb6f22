// SPDX-License-Identifier: MIT
#include "run/barrier.h"

#include "program/source_line.h"
#include "report/report_at.h"
#include "run/block.h"
#include "run/events.h"
#include "run/launch.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/untraced.h"
#include "run/waiting.h"

namespace simt::device {
namespace {

// Compilers make copies of a call, some of them without a line; they still count as one barrier. A
// call in one of the emulator's headers is identified by the student's line that led there.
bool is_other_barrier(const void* pc, const BarrierCall& call, const Block& block) {
  if (pc == block.barrier_pc) return false;
  if (call.line() != block.barrier_call.line() || call.column() != block.barrier_call.column()) {
    return true;
  }
  const Untraced untraced;
  return source_line(pc).line != 0 && source_line(block.barrier_pc).line != 0 &&
         !is_same_line(pc, block.barrier_pc);
}

void report_mixed_barrier(const Block& block) {
  const Untraced untraced;
  report_at(FindingKind::kBarrierDivergence, block.barrier_pc, running.launch->site,
            mixed_barrier_text(block_name(block), block.barrier_pc, waiting_threads(block)));
}

}  // namespace

void arrive_at_barrier(bool predicate, const BarrierCall& call) {
  Block& block = *running.block;
  Warp& warp = *running.warp;
  const void* const pc = running.lane->pc;
  if (block.at_barrier == 0) {
    on_first_at_barrier();
    block.barrier_pc = pc;
    block.barrier_call = call;
  }
  if (is_other_barrier(pc, call, block)) block.barrier_is_mixed = true;
  running.lane->last_barrier = pc;
  running.launch->may_meet_barriers = true;
  warp.ready &= ~running.lane_bit();
  warp.at_barrier |= running.lane_bit();
  ++block.at_barrier;
  block.predicates += predicate;
  release_barrier_if_complete(block);
}

void arrive_at_grid_barrier() {
  running.block->grid_barrier_pc = running.lane->pc;
  running.warp->ready &= ~running.lane_bit();
  running.warp->at_grid_barrier |= running.lane_bit();
  ++running.block->at_grid_barrier;
}

void release_barrier_if_complete(Block& block) {
  if (block.at_barrier != block.live) return;
  if (block.barrier_is_mixed) report_mixed_barrier(block);
  block.release_barrier();
  block.interrupted = running.launch->draw_interruption(block.num_barriers++);
  running.warp = &block.warps.front();  // the threads run in order again
}

}  // namespace simt::device
