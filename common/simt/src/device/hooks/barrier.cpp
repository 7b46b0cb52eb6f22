// SPDX-License-Identifier: MIT
// The barriers of a block and of the grid.
#include "run/barrier.h"

#include "program/place.h"
#include "run/block.h"
#include "run/launch.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/scheduler.h"
#include "run/untraced.h"
#include "simt/sync.h"

namespace simt::device {
namespace {

// Waits until all of the block's live threads wait here. place: the caller's.
void wait_at_barrier(bool predicate, const BarrierCall& call, Place place) {
  if (running.launch == nullptr) return;  // on the host a thread is alone
  running.lane->pc = place.pc;
  running.lane->frame = place.frame;
  arrive_at_barrier(predicate, call);
  run_others();
}

[[noreturn]] void end_without_cooperation(const void* pc) {
  const Untraced untraced;
  end_kernel({cudaErrorLaunchFailure, FindingKind::kLaunchError,
              running_thread_name() +
                  " waits for the whole grid, which only a launch by cudaLaunchCooperativeKernel "
                  "allows; <<<>>> does not make all blocks resident at once",
              pc});
}

void wait_at_grid_barrier(Place place) {
  if (running.launch == nullptr) return;
  if (!running.launch->config.cooperative) end_without_cooperation(place.pc);
  running.lane->pc = place.pc;
  running.lane->frame = place.frame;
  arrive_at_grid_barrier();
  run_others();
}

}  // namespace
}  // namespace simt::device

using simt::device::running;
using simt::device::wait_at_barrier;

void __syncthreads(simt::BarrierCall call) { wait_at_barrier(false, call, SIMT_PLACE); }

int __syncthreads_count(int predicate, simt::BarrierCall call) {
  wait_at_barrier(predicate != 0, call, SIMT_PLACE);
  return running.launch == nullptr ? predicate != 0 : running.block->released_predicates;
}

int __syncthreads_and(int predicate, simt::BarrierCall call) {
  wait_at_barrier(predicate != 0, call, SIMT_PLACE);
  if (running.launch == nullptr) return predicate != 0;
  return running.block->released_predicates == running.block->released_threads;
}

int __syncthreads_or(int predicate, simt::BarrierCall call) {
  wait_at_barrier(predicate != 0, call, SIMT_PLACE);
  return running.launch == nullptr ? predicate != 0 : running.block->released_predicates != 0;
}

void simt::sync_grid() { device::wait_at_grid_barrier(SIMT_PLACE); }

bool simt::is_cooperative_launch() {
  return running.launch != nullptr && running.launch->config.cooperative;
}
