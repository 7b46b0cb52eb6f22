// SPDX-License-Identifier: MIT
#include "serve/ring.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>

namespace serve {
namespace {

// How often a thread looks before it sleeps. Only where both sides can run at the same time.
constexpr int kLooks = 2000;

void rest() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

int number_of_cores() {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

}  // namespace

void sleep_on(const Word& word, std::uint32_t seen, std::uint64_t nanoseconds) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const timespec most = {static_cast<time_t>(nanoseconds / kSecond),
                         static_cast<long>(nanoseconds % kSecond)};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &most, nullptr, 0);  // any outcome: look again
}

void wake(const Word& word) { syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0); }

bool spin_on(const Word& word, std::uint32_t seen) {
  static const int looks = number_of_cores() > 1 ? kLooks : 1;
  for (int i = 0; i < looks; ++i) {
    if (word.load(std::memory_order_acquire) != seen) return true;
    rest();
  }
  return false;
}

}  // namespace serve
