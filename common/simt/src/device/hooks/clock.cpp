// SPDX-License-Identifier: MIT
// The device's clock: basic blocks executed so far, and what threads have slept.
#include "simt/clock.h"

#include <cstdint>

#include "run/block.h"
#include "run/part.h"
#include "run/poll.h"
#include "run/running.h"
#include "simt/sync.h"

namespace {

using simt::device::running;

std::uint64_t g_slept = 0;  // nanoseconds

// The clock runs faster for a thread that only reads it.
std::uint64_t read_clock(const void* pc) {
  constexpr std::uint64_t kPollTime = 1024;
  static const char clock_place = 0;
  if (running.launch == nullptr) return running.steps + g_slept;
  simt::device::require_whole_launch();
  simt::device::Lane& lane = *running.lane;
  if (lane.last_poll == &clock_place) {
    g_slept += kPollTime;
    simt::device::yield_for_time(pc);
  }
  lane.last_poll = &clock_place;
  return running.steps + g_slept;
}

}  // namespace

unsigned long long simt::global_timer() { return read_clock(__builtin_return_address(0)); }

long long clock64() { return static_cast<long long>(read_clock(__builtin_return_address(0))); }

// Replaces the C library's, which it still is outside of kernels.
extern "C" clock_t clock() noexcept {
  if (running.launch != nullptr) {
    return static_cast<clock_t>(read_clock(__builtin_return_address(0)));
  }
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<clock_t>(now.tv_sec) * CLOCKS_PER_SEC +
         now.tv_nsec / (1'000'000'000 / CLOCKS_PER_SEC);
}

void __nanosleep(unsigned ns) {
  if (running.launch == nullptr) return;
  g_slept += ns;
  simt::device::yield(__builtin_return_address(0));
}
