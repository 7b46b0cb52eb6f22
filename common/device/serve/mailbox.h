// SPDX-License-Identifier: MIT
// Sleeping and waking across processes.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace serve {

// Sleeps while the word holds `value`; may wake for no reason. seconds < 0: without a limit.
inline void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t value, double seconds = -1) {
  timespec limit = {
      static_cast<time_t>(seconds),
      static_cast<long>((seconds - static_cast<double>(static_cast<time_t>(seconds))) * 1e9)};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, seconds < 0 ? nullptr : &limit, nullptr, 0);
}

inline void wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace serve
