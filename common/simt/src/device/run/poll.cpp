// SPDX-License-Identifier: MIT
#include "run/poll.h"

#include "run/block.h"
#include "run/events.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/schedule.h"
#include "run/scheduler.h"
#include "run/untraced.h"

namespace simt::device {
namespace {

// Impatience: polling the same place again annoys most. Threads that read through volatile memory
// place after place are hardly ever interrupted; a thread that spins yields soon, and then each
// time.
constexpr int kSamePlace = 64;
constexpr int kOtherPlace = 1;
constexpr int kPatience = 1024;

// So many alarms without a change make a deadlock. A thread that reads and reads is slow, not
// stuck; only after a long time is it taken to be in an endless loop.
constexpr std::uint64_t kAlarmsPerDeadlock = 32;

// So many alarms of a thread that touches nothing make an endless loop. It cannot be waiting, so
// others wait only while it computes: by default it may execute 10^9 basic blocks, which take a
// GPU's thread ten seconds and the emulator two.
constexpr int kAlarmsPerEndlessLoop = 50;

std::uint64_t g_idle_steps = 0;
std::uint64_t polled_changes = 0;  // running.changes at the last poll
int impatience = 0;                // of the polls since then

std::uint64_t changes_at_alarm = 0;
std::uint64_t activity_at_alarm = 0;
int alarms_without_activity = 0;

// Other than executing basic blocks.
std::uint64_t activity() { return running.activity() - running.steps; }

void set_next_alarm() {
  running.alarm_step = running.steps + step_limit();
  changes_at_alarm = running.changes;
  activity_at_alarm = activity();
}

}  // namespace

void yield(const void* pc, std::uint64_t idle_steps) {
  g_idle_steps += idle_steps;
  running.lane->pc = pc;
  on_yield();
  running.warp->ready &= ~running.lane_bit();
  running.warp->yielded |= running.lane_bit();
  run_others();
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
  yield(pc, kStepsPerPoll);
}

std::uint64_t idle_steps() { return g_idle_steps; }
void reset_idle_steps() { g_idle_steps = 0; }

void reset_alarm() {
  set_next_alarm();
  alarms_without_activity = 0;
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

void alarm(const void* pc) {
  const bool was_active = activity() != activity_at_alarm;
  const bool has_changed = running.changes != changes_at_alarm;
  set_next_alarm();
  if (!was_active) {
    if (++alarms_without_activity >= kAlarmsPerEndlessLoop) end_endless_loop(pc);
    return;
  }
  alarms_without_activity = 0;
  if (!has_changed) yield(pc, step_limit() / kAlarmsPerDeadlock);
}

}  // namespace simt::device
