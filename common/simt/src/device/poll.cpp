// SPDX-License-Identifier: MIT
#include "poll.h"

#include "describe.h"
#include "fault.h"
#include "order.h"
#include "running.h"
#include "schedule.h"
#include "scheduler.h"
#include "simt/cache_hints.h"
#include "simt/clock.h"
#include "simt/sync.h"

namespace simt {
namespace device {
namespace {

// Impatience: polling the same place again annoys most. Threads that read through volatile memory
// place after place are hardly ever interrupted; a thread that spins yields soon, and then each
// time.
constexpr int kSamePlace = 64;
constexpr int kOtherPlace = 1;
constexpr int kPatience = 1024;

constexpr std::uint64_t kStepsPerPoll = 16;  // about what a poll with its switch costs

// So many alarms without a change make a deadlock. A thread that reads and reads is slow, not
// stuck; only after a long time is it taken to be in an endless loop.
constexpr std::uint64_t kAlarmsPerDeadlock = 32;

// So many alarms of a thread that touches nothing make an endless loop. It cannot be waiting, so
// nobody is held up but by its computing: by default it may execute 10^9 basic blocks, which take a
// GPU's thread ten seconds and the emulator two.
constexpr int kAlarmsPerEndlessLoop = 50;

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
  running.idle_steps += idle_steps;
  running.lane().pc = pc;
  if (running.trace != nullptr) running.trace->height = 0;  // it comes back amid a basic block
  running.warp->ready &= ~running.lane_bit();
  running.warp->yielded |= running.lane_bit();
  run_others();
}

void poll(const void* address, const void* pc) {
  if (running.changes != running.polled_changes) {
    running.polled_changes = running.changes;
    running.impatience = 0;
  }
  const bool same_place = running.lane().last_poll == address;
  running.lane().last_poll = address;
  running.impatience += same_place ? kSamePlace : kOtherPlace;
  if (running.impatience < kPatience) return;
  running.impatience = same_place ? kPatience - kSamePlace : 0;
  yield(pc, kStepsPerPoll);
}

void reset_alarm() {
  set_next_alarm();
  alarms_without_activity = 0;
}

void end_endless_loop(const void* pc) {
  const Untraced untraced;
  end_kernel(
      {cudaErrorLaunchTimeout, "deadlock",
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

// Reads the clock. Time flies for a thread that does nothing else.
std::uint64_t read_clock(const void* pc) {
  constexpr std::uint64_t kPollTime = 1024;
  static const char clock_place = 0;
  if (running.grid == nullptr) return running.steps + running.slept;
  Lane& lane = running.lane();
  if (lane.last_poll == &clock_place) {
    running.slept += kPollTime;
    yield(pc, 0);
  }
  lane.last_poll = &clock_place;
  return running.steps + running.slept;
}

}  // namespace device

void poll(const void* address) {
  if (!device::running.is_private(reinterpret_cast<std::uintptr_t>(address))) {
    device::poll(address, __builtin_return_address(0));
    if (device::running.grid != nullptr) device::order_acquire();
    expect_company(address);
  }
}

void expect_company(const void* address) {
  device::running.company = reinterpret_cast<std::uintptr_t>(address);
}

unsigned long long global_timer() { return device::read_clock(__builtin_return_address(0)); }

}  // namespace simt

long long clock64() {
  return static_cast<long long>(simt::device::read_clock(__builtin_return_address(0)));
}

// Replaces the C library's, which it still is outside of kernels.
extern "C" clock_t clock() noexcept {
  if (simt::device::running.grid != nullptr) {
    return static_cast<clock_t>(simt::device::read_clock(__builtin_return_address(0)));
  }
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<clock_t>(now.tv_sec) * CLOCKS_PER_SEC +
         now.tv_nsec / (1'000'000'000 / CLOCKS_PER_SEC);
}

void __nanosleep(unsigned ns) {
  if (simt::device::running.grid == nullptr) return;
  simt::device::running.slept += ns;
  simt::device::yield(__builtin_return_address(0), simt::device::kStepsPerPoll);
}
