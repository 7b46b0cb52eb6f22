// SPDX-License-Identifier: MIT
#include "simt/host_crash.h"

#include <sys/resource.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "report/words.h"
#include "run/untraced.h"
#include "simt/call_stack.h"
#include "simt/finding.h"

extern "C" void* __libc_stack_end;  // where the main thread's stack begins

namespace simt {
namespace {

constexpr std::array kCrashSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr std::uintptr_t kNullPages = 4096;     // an item or a member of a null pointer
constexpr std::uintptr_t kBelow = 64 << 10;     // how far below its frame a call writes
constexpr std::uintptr_t kEnviron = 256 << 10;  // the stack's limit counts these bytes, too

// A thread that has used up its own stack cannot handle the signal on it.
alignas(64) std::byte g_signal_stack[64 << 10];
std::uintptr_t g_stack_low = 0;
std::size_t g_stack_bytes = 0;
void (*g_last_words)(const std::string&) = nullptr;

struct Registers {
  std::uintptr_t pc;
  std::uintptr_t stack;
};

Registers registers(const ucontext_t& context) {
#if defined(__x86_64__)
  return {static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]),
          static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP])};
#else
  return {static_cast<std::uintptr_t>(context.uc_mcontext.pc),
          static_cast<std::uintptr_t>(context.uc_mcontext.sp)};
#endif
}

// The instruction itself, as a return address, and then its callers.
CallStack crashed_stack(std::uintptr_t pc) {
  CallStack stack = capture_call_stack();
  std::shift_right(stack.return_addresses.begin(), stack.return_addresses.end(), 1);
  stack.return_addresses[0] = reinterpret_cast<const void*>(pc + 1);
  return stack;
}

std::string describe_address(const siginfo_t& info, std::uintptr_t stack) {
  if (info.si_code == SI_KERNEL) return "accessed an address that no memory can have";
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  if (address < g_stack_low + kEnviron && address + kBelow >= stack) {
    return "used up its stack of " + std::to_string(g_stack_bytes >> 20) +
           " MiB: recursion without end, or local arrays too large";
  }
  if (address < kNullPages) return "dereferenced a null pointer";
  return "accessed address " + device::hex(address) + ", which is not mapped for that";
}

std::string describe(int signal, const siginfo_t& info, std::uintptr_t stack) {
  if (signal == SIGFPE) return "divided an integer by zero";
  if (signal == SIGILL) return "reached code that must not be reached";
  return describe_address(info, stack);
}

void report_last(const Finding& finding) {
  report(finding);
  if (g_last_words != nullptr) g_last_words(finding.message);
}

void handle_crash(int signal, siginfo_t* info, void* context) {
  const device::Untraced untraced;
  std::signal(signal, SIG_DFL);
  if (info->si_code <= 0) return;  // another process, or the program itself, sent it
  const auto [pc, stack] = registers(*static_cast<const ucontext_t*>(context));
  const SourcePlace place = program_place(crashed_stack(pc));
  const std::string what = "the host code " + describe(signal, *info, stack);
  report_last({FindingKind::kCrash, place.file, place.line, "", what});
}  // and crash again

}  // namespace

void end_host_code(const Finding& finding) {
  report_last(finding);
  std::abort();
}

void explain_host_crashes(void (*last_words)(const std::string& what)) {
  g_last_words = last_words;
  rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    g_stack_bytes = limit.rlim_cur;
    g_stack_low = reinterpret_cast<std::uintptr_t>(__libc_stack_end) - g_stack_bytes;
  }
  stack_t stack = {};
  stack.ss_sp = g_signal_stack;
  stack.ss_size = sizeof g_signal_stack;
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = handle_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : kCrashSignals) sigaction(signal, &action, nullptr);
}

}  // namespace simt
