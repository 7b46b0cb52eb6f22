// SPDX-License-Identifier: MIT
#include "barrier.h"

#include "describe.h"
#include "grid.h"
#include "running.h"
#include "scheduler.h"
#include "simt/sync.h"
#include "source_line.h"

namespace simt {
namespace device {
namespace {

// Waits until all of the block's live threads wait here. pc: the caller's, for messages.
void wait_at_barrier(bool predicate, const void* pc) {
  if (running.grid == nullptr) return;  // on the host a thread is alone
  Block& block = *running.block;
  Warp& warp = *running.warp;
  running.lane().pc = pc;
  if (block.at_barrier == 0) block.barrier_pc = pc;
  if (pc != block.barrier_pc && !is_same_line(pc, block.barrier_pc)) block.barrier_is_mixed = true;
  warp.ready &= ~running.lane_bit();
  warp.at_barrier |= running.lane_bit();
  ++block.at_barrier;
  block.predicates += predicate;
  release_barrier_if_complete(block);
  run_others();
}

void wait_at_grid_barrier(const void* pc) {
  if (running.grid == nullptr) return;
  running.lane().pc = pc;
  running.warp->ready &= ~running.lane_bit();
  running.warp->at_grid_barrier |= running.lane_bit();
  ++running.block->at_grid_barrier;
  run_others();
}

}  // namespace

void release_barrier_if_complete(Block& block) {
  if (block.at_barrier != block.live) return;
  if (block.barrier_is_mixed) report_mixed_barrier(block);
  block.release_barrier();
  running.warp = &block.warps.front();  // the threads run in order again
}

}  // namespace device
}  // namespace simt

using simt::device::running;
using simt::device::wait_at_barrier;

void __syncthreads() { wait_at_barrier(false, __builtin_return_address(0)); }

int __syncthreads_count(int predicate) {
  wait_at_barrier(predicate != 0, __builtin_return_address(0));
  return running.grid == nullptr ? predicate != 0 : running.block->released_predicates;
}

int __syncthreads_and(int predicate) {
  wait_at_barrier(predicate != 0, __builtin_return_address(0));
  if (running.grid == nullptr) return predicate != 0;
  return running.block->released_predicates == running.block->released_threads;
}

int __syncthreads_or(int predicate) {
  wait_at_barrier(predicate != 0, __builtin_return_address(0));
  return running.grid == nullptr ? predicate != 0 : running.block->released_predicates != 0;
}

void simt::sync_grid() { device::wait_at_grid_barrier(__builtin_return_address(0)); }

bool simt::is_cooperative_launch() {
  return running.grid != nullptr && running.grid->config().cooperative;
}
