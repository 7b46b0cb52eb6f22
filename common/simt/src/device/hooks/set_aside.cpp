// SPDX-License-Identifier: MIT
#include "run/set_aside.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "count/tally.h"
#include "hooks/kernel.h"
#include "hooks/nested_launch.h"
#include "hooks/print.h"
#include "run/device_lock.h"
#include "run/poll.h"
#include "run/running.h"
#include "run/schedule.h"
#include "run/stream_order.h"
#include "simt/call_stack.h"
#include "simt/closure.h"

namespace simt {
namespace {

using device::Kernel;
using device::running;

// The kernel that waits for the host, and what waits for that kernel.
struct SetAside {
  std::unique_ptr<Kernel> kernel;
  pthread_t owner;  // whose thread-local variables are the kernel's shared memory
  std::vector<std::function<void()>> behind;
};

std::optional<SetAside>& one() {
  static auto* const only = new std::optional<SetAside>;  // the process may end before the kernel
  return *only;
}

// The host's own code gives the kernel a turn after so many basic blocks; doubled each time, up to
// the second number.
constexpr std::uint64_t kFirstTurn = 1 << 10;
constexpr std::uint64_t kLastTurn = 1 << 20;
std::uint64_t g_next_turn = kFirstTurn;

// So many basic blocks without a change end such a turn; a switch of fibers counts as some.
constexpr std::uint64_t kPatienceOfTurn = 1 << 12;

// So long may other threads of the host take to write what the kernel polls, and so often they get
// the device.
constexpr std::chrono::seconds kHostsTime{5};
constexpr std::chrono::microseconds kMoment{200};

bool is_own(const SetAside& waiting) { return pthread_equal(waiting.owner, pthread_self()) != 0; }

// Its shared memory goes with the thread: the kernel has to end before.
void on_thread_exit(void*) {
  const internal::DeviceLock lock;
  if (one() && is_own(*one())) internal::finish_set_aside();
}

void watch_thread() {
  static pthread_key_t key = {};
  static const int error = pthread_key_create(&key, on_thread_exit);
  if (error == 0) pthread_setspecific(key, &one());
}

void leave(Kernel& kernel) {
  internal::set_work_aside();
  kernel.grid.leave();
  device::flush_prints();
  device::give_device_to(nullptr);
  running.alarm_step = running.steps + g_next_turn;
}

// The kernel has ended: what waited for that runs.
void end_set_aside() {
  SetAside done = std::move(*one());
  one().reset();
  device::end(*done.kernel);
  device::run_nested(done.kernel->launch);
  const detail::Closure closure = done.kernel->launch.closure;
  done.kernel.reset();
  detail::drop(closure);
  for (std::function<void()>& operation : done.behind) {
    if (one()) {  // one of them waits for the host, too
      one()->behind.push_back(std::move(operation));
    } else {
      operation();
    }
  }
}

// One more turn. Returns whether the kernel still waits.
bool has_to_wait(std::uint64_t patience) {
  Kernel& kernel = *one()->kernel;
  device::give_device_to(&kernel.launch);
  internal::resume_work();
  kernel.grid.come_back();
  if (kernel.launch.is_counted) device::tally().expose_anew();
  device::proceed(kernel, patience);
  if (kernel.grid.waits_for_host()) {
    leave(kernel);
    return true;
  }
  end_set_aside();
  return false;
}

// `had_time`: other threads had time to write what it polls, or its own to let it go on.
void give_up(bool by_owner, bool had_time) {
  const std::string line = program_line_name(capture_call_stack());
  std::string why = line.empty() ? "" : "; the host waits for this kernel in " + line;
  if (!by_owner) {
    why +=
        "; the thread that launched it made no CUDA call within 5 s, and only that thread can "
        "continue it in the emulator";
  } else if (had_time) {
    why += "; no other thread of the host wrote that memory within 5 s";
  }
  Kernel& kernel = *one()->kernel;
  device::give_device_to(&kernel.launch);
  internal::resume_work();
  kernel.grid.give_up(why);
  end_set_aside();
}

}  // namespace

void device::set_aside(std::unique_ptr<Kernel> kernel) {
  detail::Closure& closure = kernel->launch.closure;
  closure.object = detail::keep(closure);
  g_next_turn = kFirstTurn;
  leave(*kernel);
  watch_thread();
  one().emplace(std::move(kernel), pthread_self(), std::vector<std::function<void()>>());
}

bool device::is_one_set_aside() { return one().has_value(); }

void internal::finish_set_aside() {
  const DeviceLock lock;
  if (running.launch != nullptr) return;
  const auto deadline = std::chrono::steady_clock::now() + kHostsTime;
  bool has_waited = false;
  while (one()) {
    const bool by_owner = is_own(*one());
    if (by_owner && !has_to_wait(has_waited ? kPatienceOfTurn : device::step_limit())) continue;
    if (!has_other_threads() || std::chrono::steady_clock::now() > deadline) {
      give_up(by_owner, has_waited);
    } else {
      const DeviceLoan loan;
      std::this_thread::sleep_for(kMoment);
      has_waited = true;
    }
  }
}

void internal::try_set_aside() {
  running.alarm_step = UINT64_MAX;
  const DeviceLock lock;
  if (!one() || !is_own(*one())) return;
  g_next_turn = std::min(2 * g_next_turn, kLastTurn);
  const std::uint64_t changes = running.changes;
  if (has_to_wait(kPatienceOfTurn) && running.changes != changes) g_next_turn = kFirstTurn;
}

void internal::run_behind_set_aside(std::function<void()> operation) {
  one()->behind.push_back(std::move(operation));
}

}  // namespace simt
