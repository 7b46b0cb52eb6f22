// SPDX-License-Identifier: MIT
// Phases of a barrier in memory. A thread that waits for one does not poll: it has its next turn
// when the phase has ended. The lanes of a warp go on together, as after any barrier, so that their
// next accesses are requests of the whole warp.
#include "simt/phase_counter.h"

#include "count/tally.h"
#include "count/trace.h"
#include "hooks/atomic_core.h"
#include "program/address.h"
#include "program/place.h"
#include "record/recorder.h"
#include "run/block.h"
#include "run/events.h"
#include "run/poll.h"
#include "run/running.h"
#include "run/scheduler.h"
#include "run/untraced.h"

namespace simt {
namespace device {
namespace {

// While it lives, no access of the running thread is counted. The thread may not let others run.
class Uncounted {
 public:
  explicit Uncounted(bool is_needed) : trace_(running.trace) {
    if (is_needed && !is_recording()) running.trace = nullptr;
  }
  ~Uncounted() { running.trace = trace_; }
  Uncounted(const Uncounted&) = delete;
  Uncounted& operator=(const Uncounted&) = delete;

 private:
  LaneTrace* trace_;
};

bool is_shared(const unsigned& word) {
  return running.launch != nullptr && space_of(number(&word)) == MemorySpace::kShared;
}

// Whether all threads of the running block take part, or those of several warps. In global memory
// it may be a barrier of several blocks.
bool is_of_block(const unsigned& expected) {
  if (!is_shared(expected)) return false;
  return expected > kWarpSize || expected >= static_cast<unsigned>(running.block->num_threads);
}

void count_arrival(Place place) {
  if (running.trace == nullptr || is_recording()) return;
  const Untraced untraced;
  tally().count(pack_pc(place.pc), Counter::kSharedAtomicLanes, 1);
  tally().count_most(pack_pc(place.pc), Counter::kAtomicsMaxPerBlock, ++running.block->num_atomics);
}

// As load(), which may let others run first.
unsigned read_word(const unsigned& word, Place place) {
  if (running.launch == nullptr) return load(&word, place);
  check_atomic(&word, true, false, AccessKind::kRead, place);
  return word;
}

bool has_passed(const unsigned& phase, unsigned awaited) {
  return static_cast<int>(*const_cast<const volatile unsigned*>(&phase) - awaited) > 0;
}

// Stops until no other lane of the warp can run.
void converge(Place place) {
  running.lane->pc = place.pc;
  running.lane->frame = place.frame;
  running.warp->ready &= ~running.lane_bit();
  running.warp->converging |= running.lane_bit();
  run_others();
}

unsigned arrive_at(unsigned& expected, unsigned& pending, unsigned& phase, unsigned num_arrivals,
                   Place place) {
  const Uncounted uncounted(is_shared(pending));
  const unsigned current = read_word(phase, place);
  note_order(MemoryOrder::acq_rel, false);
  const unsigned before = read_modify_write(&pending, place, false,
                                            [=](unsigned value) { return value - num_arrivals; });
  if (before != num_arrivals) return current;
  const bool is_barrier = is_of_block(expected);
  store(&pending, read_word(expected, place), place);
  note_order(MemoryOrder::release, false);
  store(&phase, current + 1, place);
  if (running.launch == nullptr) return current;
  if (is_barrier) on_phase_of_block(*running.block, place.pc);
  running.block->resume_pollers(&phase);
  return current;
}

void let_others_arrive(const unsigned& phase, Place place) {
  running.lane->last_poll = &phase;
  running.lane->frame = place.frame;
  yield(place.pc);
}

// The thread has seen the end of the phase.
void go_on(const unsigned& phase, Place place) {
  {
    const Uncounted uncounted(is_shared(phase));
    read_word(phase, place);
  }
  converge(place);
}

void wait_at(const unsigned& phase, unsigned awaited, Place place) {
  if (running.launch == nullptr) {
    while (static_cast<int>(load(&phase, place) - awaited) <= 0) {
    }
    return;
  }
  while (!has_passed(phase, awaited)) let_others_arrive(phase, place);
  go_on(phase, place);
}

}  // namespace
}  // namespace device

unsigned PhaseCounter::arrive(unsigned num_arrivals) {
  const device::Place place = SIMT_PLACE;
  if (device::is_shared(pending_)) device::count_arrival(place);
  return device::arrive_at(expected_, pending_, phase_, num_arrivals, place);
}

bool PhaseCounter::try_wait(unsigned phase) const {
  const device::Place place = SIMT_PLACE;
  if (device::running.launch == nullptr) {
    return static_cast<int>(device::load(&phase_, place) - phase) > 0;
  }
  if (!device::has_passed(phase_, phase)) device::let_others_arrive(phase_, place);
  if (!device::has_passed(phase_, phase)) return false;
  device::go_on(phase_, place);
  return true;
}

void PhaseCounter::wait(unsigned phase) const { device::wait_at(phase_, phase, SIMT_PLACE); }

void PhaseCounter::arrive_and_wait() {
  const device::Place place = SIMT_PLACE;
  if (device::is_shared(pending_) && !device::is_of_block(expected_)) device::count_arrival(place);
  device::wait_at(phase_, device::arrive_at(expected_, pending_, phase_, 1, place), place);
}

}  // namespace simt
