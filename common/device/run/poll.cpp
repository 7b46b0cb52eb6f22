// SPDX-License-Identifier: MIT
// Threads that wait for memory to change. A device runs all resident threads at once; here a part
// of a warp that polls without success must let the others run, or it would wait for ever.
#include <time.h>

#include <cmath>
#include <string>
#include <utility>

#include "run/engine.h"

namespace run {
namespace {

// Impatience grows fastest when a part polls the same place again. One that reads place after place
// is almost never interrupted; one that spins yields soon, and then each time.
constexpr int kSamePlace = 64;
constexpr int kOtherPlace = 1;
constexpr int kPatience = 1024;

constexpr std::uint64_t kStepsPerSwitch = 16;  // blocks of code that take as long as a switch

// This many alarms of a kernel that touches no memory mean an endless loop, whatever else changes.
constexpr int kAlarmsPerEndlessLoop = 2000;

// It is a deadlock when all blocks have polled this often without success.
constexpr std::uint64_t kMinIdleRounds = 128;

// A turn, as a part of the limit on steps. A part that has read so long without a change may poll
// with plain loads, and others of its launch, too: they get the shorter turn, as there may be
// thousands.
constexpr std::uint64_t kTurn = 4;
constexpr std::uint64_t kTurnAfterIdleOne = 256;

void set_next_alarm(Engine& engine) {
  engine.next_alarm = engine.steps + engine.alarm_interval;
  engine.alarm_changes = engine.changes;
  engine.alarm_accesses = engine.accesses;
  engine.alarm_switches = engine.switches;
}

// So many seconds of processor time may one part of a warp run without a barrier or an end.
constexpr double kMaxTurnSeconds = 10;

void check_turn(Warp& warp, const code::Op* op) {
  Engine& engine = *warp.engine;
  const double now = process_seconds();
  if (engine.turn != engine.switches) {
    engine.turn = engine.switches;
    engine.turn_begin = now;
  }
  if (now - engine.turn_begin < kMaxTurnSeconds) return;
  end_kernel(warp, instruction_of(warp, op), report::Kind::kTimeout,
             report::long_turn_text(thread_name(warp, std::countr_zero(warp.lanes)),
                                    static_cast<std::uint64_t>(kMaxTurnSeconds)),
             cudaErrorLaunchTimeout);
}

[[noreturn]] void end_in_endless_loop(Warp& warp, const code::Instruction& here) {
  end_kernel(warp, here, report::Kind::kDeadlock,
             report::endless_loop_text(thread_name(warp, std::countr_zero(warp.lanes))),
             cudaErrorLaunchTimeout);
}

}  // namespace

double process_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

void reset_alarm(Engine& engine) {
  engine.alarm_interval = engine.step_limit / kTurn;
  set_next_alarm(engine);
  engine.alarms_without_activity = 0;
  engine.repetition.stop();
}

std::uint64_t rounds_of_deadlock(const Engine& engine) {
  return kMinIdleRounds * (engine.step_limit / kTurn) / engine.alarm_interval;
}

bool polls(Warp& warp, std::uint64_t address) {
  Engine& engine = *warp.engine;
  if (engine.changes != engine.polled_changes) {
    engine.polled_changes = engine.changes;
    engine.impatience = 0;
  }
  const bool is_same = warp.part->last_poll == address;
  warp.part->last_poll = address;
  engine.impatience += is_same ? kSamePlace : kOtherPlace;
  if (engine.impatience < kPatience) return false;
  engine.impatience = is_same ? kPatience - kSamePlace : 0;
  return true;
}

void let_others_run(Warp& warp, const code::Op* next, bool is_idle) {
  Engine& engine = *warp.engine;
  const std::uint64_t work = engine.steps + kStepsPerSwitch * engine.switches;
  const std::uint64_t since = work - std::exchange(engine.work_at_yield, work);
  if (is_idle) engine.idle_steps += since;
  warp.part->next = next;
  warp.part->waiting = Waiting::kMemory;
}

const code::Op* alarm(Warp& warp, const code::Op* op) {
  Engine& engine = *warp.engine;
  const code::Instruction& here = instruction_of(warp, op);
  const int lane = std::countr_zero(warp.lanes);
  if (engine.repetition.is_watching()) {
    if (engine.repetition.is_seen_again(warp, op)) end_in_endless_loop(warp, here);
    if (engine.repetition.is_watching()) {
      engine.next_alarm = engine.steps + 1;
    } else {
      set_next_alarm(engine);
    }
    return op + 1;
  }
  if (engine.time_limit > 0 && process_seconds() - engine.time_begin > engine.time_limit) {
    end_kernel(warp, here, report::Kind::kTimeout,
               report::too_long_text(thread_name(warp, lane),
                                     static_cast<std::uint64_t>(std::lround(engine.time_limit))),
               cudaErrorLaunchTimeout);
  }
  check_turn(warp, op);
  const bool has_changed = engine.changes != engine.alarm_changes;
  const bool was_active = has_changed || engine.accesses != engine.alarm_accesses ||
                          engine.switches != engine.alarm_switches;
  if (!has_changed) {
    engine.alarm_interval = engine.step_limit / (was_active ? kTurnAfterIdleOne : kTurn);
  }
  set_next_alarm(engine);
  if (!was_active) {
    if (++engine.alarms_without_activity >= kAlarmsPerEndlessLoop) end_in_endless_loop(warp, here);
    engine.repetition.begin(warp, op);
    if (engine.repetition.is_watching()) engine.next_alarm = engine.steps + 1;
    return op + 1;
  }
  engine.alarms_without_activity = 0;
  if (has_changed) return op + 1;
  let_others_run(warp, op + 1, true);  // perhaps it polls with plain loads
  return nullptr;
}

}  // namespace run
