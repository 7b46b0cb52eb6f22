// SPDX-License-Identifier: MIT
#include "run/poll.h"

#include <cmath>
#include <string>
#include <utility>

#include "run/block.h"
#include "run/events.h"
#include "run/part.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/schedule.h"
#include "run/scheduler.h"
#include "run/set_aside.h"
#include "run/untraced.h"

namespace simt::device {
namespace {

// Impatience grows fastest when a thread polls the same place again. Threads that read through
// volatile memory place after place are almost never interrupted; a thread that spins yields soon,
// and then each time.
constexpr int kSamePlace = 64;
constexpr int kOtherPlace = 1;
constexpr int kPatience = 1024;

constexpr std::uint64_t kStepsPerSwitch = 16;  // basic blocks that take as long as a switch

// This many alarms of a thread that touches no memory mean an endless loop. It cannot be waiting,
// so others wait only while it computes: by default it may execute 10^9 basic blocks, which take a
// GPU's thread ten seconds and the emulator two.
constexpr int kAlarmsPerEndlessLoop = 50;

std::uint64_t g_idle_steps = 0;
std::uint64_t work_at_yield = 0;
std::uint64_t polled_changes = 0;  // running.changes at the last poll
int impatience = 0;                // of the polls since then

std::uint64_t last_alarm = 0;  // in steps
std::uint64_t changes_at_alarm = 0;
std::uint64_t switches_at_alarm = 0;
int alarms_without_activity = 0;
TooLong too_long = TooLong::kNot;

// Returns what was done since the last call, in basic blocks.
std::uint64_t take_work() {
  const std::uint64_t work = running.steps + kStepsPerSwitch * running.switches;
  return work - std::exchange(work_at_yield, work);
}

void let_others_run(const void* pc) {
  require_whole_launch();
  running.lane->pc = pc;
  on_yield();
  running.warp->ready &= ~running.lane_bit();
  running.warp->yielded |= running.lane_bit();
  run_others();
}

void set_next_alarm() {
  last_alarm = running.steps;
  running.alarm_step = running.steps + step_limit();
  changes_at_alarm = running.changes;
  switches_at_alarm = running.switches;
}

std::string how_long(TooLong what) {
  if (what == TooLong::kTurn) {
    return " has run for " + std::to_string(kMaxTurnSeconds) +
           " s here, without a barrier and without an end";
  }
  return " is here after " + std::to_string(std::lround(time_limit())) +
         " s of processor time, which is too long";
}

}  // namespace

constinit bool code_is_announced = true;
constinit bool code_is_silent = false;

void yield(const void* pc) {
  g_idle_steps += take_work();
  let_others_run(pc);
}

void yield_for_time(const void* pc) {
  take_work();
  let_others_run(pc);
}

void hold_back(const void* pc) {
  running.block->holds_back = true;
  yield_for_time(pc);
}

void poll(const void* address, const void* pc) {
  if (running.changes != polled_changes) {
    polled_changes = running.changes;
    impatience = 0;
  }
  const bool same_place = running.lane->last_poll == address;
  running.lane->last_poll = address;
  impatience += same_place ? kSamePlace : kOtherPlace;
  if (impatience < kPatience) return;
  impatience = same_place ? kPatience - kSamePlace : 0;
  yield(pc);
}

std::uint64_t idle_steps() { return g_idle_steps; }
void reset_idle_steps() { g_idle_steps = 0; }

void reset_alarm() {
  set_next_alarm();
  alarms_without_activity = 0;
  too_long = TooLong::kNot;
}

void end_endless_loop(const void* pc) {
  const Untraced untraced;
  end_kernel(
      {cudaErrorLaunchTimeout, FindingKind::kDeadlock,
       running_thread_name() +
           " is in an endless loop that does not touch memory; a loop that waits for another "
           "thread must read a volatile or an atomic variable",
       pc});
}

void end_too_long(TooLong what, const void* pc) {
  const Untraced untraced;
  end_kernel({cudaErrorLaunchTimeout, FindingKind::kTimeout,
              running_thread_name() + how_long(what) + ": does this loop ever end?", pc});
}

void end_at_next_step(TooLong what) {
  too_long = what;
  running.alarm_step = 0;
}

void alarm(const void* pc) {
  if (running.launch == nullptr) return internal::try_set_aside();
  if (too_long != TooLong::kNot) end_too_long(too_long, pc);
  const bool has_changed = running.changes != changes_at_alarm;
  const bool was_active = !code_is_announced || has_changed ||
                          running.switches != switches_at_alarm ||
                          running.last_access_step > last_alarm;
  set_next_alarm();
  if (!was_active) {
    if (++alarms_without_activity >= kAlarmsPerEndlessLoop) end_endless_loop(pc);
    return;
  }
  alarms_without_activity = 0;
  if (!has_changed) yield(pc);
}

}  // namespace simt::device
