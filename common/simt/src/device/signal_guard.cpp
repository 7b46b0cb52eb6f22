// SPDX-License-Identifier: MIT
#include "signal_guard.h"

#include <ucontext.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "describe.h"
#include "fault.h"
#include "fiber.h"
#include "running.h"
#include "simt/memory.h"
#include "source_line.h"

namespace simt::device {
namespace {

// A thread that has used up its own stack cannot handle the signal on it.
alignas(64) std::byte g_signal_stack[64 << 10];

// The instruction that trapped, as a return address; if it is the emulator's own (an atomic function),
// the address to which that returns.
const void* trap_pc(const ucontext_t& context) {
#if defined(__x86_64__)
  const auto pc = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#else
  const auto pc = static_cast<std::uintptr_t>(context.uc_mcontext.pc);
#endif
  const void* const return_address = reinterpret_cast<const void*>(pc + 1);
  return source_line(return_address).line != 0 ? return_address : running.lane().pc;
}

std::string describe_address(std::uintptr_t address) {
  if (running.stack_low - address <= kGuardBytes) {
    return "used up its stack of " + std::to_string(kStackBytes >> 10) +
           " KiB: recursion without end, or local arrays too large";
  }
  if (address < 4096) return "dereferenced a null pointer";
  char text[64];
  std::snprintf(text, sizeof text, "accessed address 0x%llx, which is not mapped",
                static_cast<unsigned long long>(address));
  return text;
}

void handle(int signal, siginfo_t* info, void* context) {
  if (running.grid == nullptr || running.is_private(0)) {  // not on a fiber: the host's own fault
    ::signal(signal, SIG_DFL);
    return;  // and trap again
  }
  const void* const pc = trap_pc(*static_cast<const ucontext_t*>(context));
  const std::string thread = running_thread_name() + " ";
  switch (signal) {
    case SIGFPE:
      end_kernel({cudaErrorLaunchFailure, "crash", thread + "divided an integer by zero", pc});
    case SIGILL:
      end_kernel({cudaErrorLaunchFailure, "crash", thread + "reached code that must not be reached", pc});
    default:
      end_kernel({cudaErrorIllegalAddress, "out_of_bounds",
                  thread + describe_address(reinterpret_cast<std::uintptr_t>(info->si_addr)), pc});
  }
}

}  // namespace

SignalGuard::SignalGuard() {
  stack_t stack = {};
  stack.ss_sp = g_signal_stack;
  stack.ss_size = sizeof g_signal_stack;
  sigaltstack(&stack, &old_stack_);
  struct sigaction action = {};
  action.sa_sigaction = handle;
  // The handler never returns from a kernel's fault, so the signal must not stay blocked.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &old_actions_[i]);
}

SignalGuard::~SignalGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &old_actions_[i], nullptr);
  sigaltstack(&old_stack_, nullptr);
}

}  // namespace simt::device
