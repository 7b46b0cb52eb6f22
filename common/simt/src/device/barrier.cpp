// SPDX-License-Identifier: MIT
#include "barrier.h"

#include "address.h"
#include "describe.h"
#include "fault.h"
#include "grid.h"
#include "merge.h"
#include "running.h"
#include "scheduler.h"
#include "simt/sync.h"
#include "source_line.h"
#include "tally.h"

namespace simt {
namespace device {
namespace {

// Waits until all of the block's live threads wait here. place: the caller's.
void wait_at_barrier(bool predicate, Place place) {
  if (running.grid == nullptr) return;  // on the host a thread is alone
  Block& block = *running.block;
  Warp& warp = *running.warp;
  const void* const pc = place.pc;
  running.lane().pc = pc;
  running.lane().frame = place.frame;
  if (block.at_barrier == 0) block.barrier_pc = pc;
  if (pc != block.barrier_pc && !is_same_line(pc, block.barrier_pc)) block.barrier_is_mixed = true;
  warp.ready &= ~running.lane_bit();
  warp.at_barrier |= running.lane_bit();
  ++block.at_barrier;
  block.predicates += predicate;
  release_barrier_if_complete(block);
  run_others();
}

[[noreturn]] void end_without_cooperation(const void* pc) {
  const Untraced untraced;
  end_kernel({cudaErrorLaunchFailure, "launch_error",
              running_thread_name() +
                  " waits for the whole grid, which only a launch by cudaLaunchCooperativeKernel "
                  "allows; <<<>>> does not make all blocks resident at once",
              pc});
}

void wait_at_grid_barrier(Place place) {
  if (running.grid == nullptr) return;
  if (!running.grid->config().cooperative) end_without_cooperation(place.pc);
  running.lane().pc = place.pc;
  running.lane().frame = place.frame;
  running.block->grid_barrier_pc = place.pc;
  running.warp->ready &= ~running.lane_bit();
  running.warp->at_grid_barrier |= running.lane_bit();
  ++running.block->at_grid_barrier;
  run_others();
}

}  // namespace

void release_barrier_if_complete(Block& block) {
  if (block.at_barrier != block.live) return;
  if (block.barrier_is_mixed) report_mixed_barrier(block);
  if (running.warp->trace != nullptr) {
    const Untraced untraced;  // what it allocates is not the kernel's
    merge_traces(*running.warp);
    tally().count(pack_pc(block.barrier_pc), Counter::kBarriers, 1);
  }
  block.release_barrier();
  block.interrupted = running.grid->draw_interruption(block.num_barriers++);
  running.warp = &block.warps.front();  // the threads run in order again
}

}  // namespace device
}  // namespace simt

using simt::device::running;
using simt::device::wait_at_barrier;

void __syncthreads() { wait_at_barrier(false, SIMT_PLACE); }

int __syncthreads_count(int predicate) {
  wait_at_barrier(predicate != 0, SIMT_PLACE);
  return running.grid == nullptr ? predicate != 0 : running.block->released_predicates;
}

int __syncthreads_and(int predicate) {
  wait_at_barrier(predicate != 0, SIMT_PLACE);
  if (running.grid == nullptr) return predicate != 0;
  return running.block->released_predicates == running.block->released_threads;
}

int __syncthreads_or(int predicate) {
  wait_at_barrier(predicate != 0, SIMT_PLACE);
  return running.grid == nullptr ? predicate != 0 : running.block->released_predicates != 0;
}

void simt::sync_grid() { device::wait_at_grid_barrier(SIMT_PLACE); }

bool simt::is_cooperative_launch() {
  return running.grid != nullptr && running.grid->config().cooperative;
}
