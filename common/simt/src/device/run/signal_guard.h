// SPDX-License-Identifier: MIT
#pragma once

#include <signal.h>
#include <sys/time.h>

#include <array>

namespace simt::device {

// While it lives, a hardware trap in a kernel (a bad address, a division by zero) becomes a Fault
// instead of ending the process. On the host's stack, traps do what they did before. A timer ends
// kernels whose thread is in a loop of a single jump: the compiler puts no hook into that, so the
// step limit does not apply.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

 private:
  static constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGVTALRM};

  std::array<struct sigaction, kSignals.size()> old_actions_;
  stack_t old_stack_;
  itimerval old_timer_;
};

}  // namespace simt::device
