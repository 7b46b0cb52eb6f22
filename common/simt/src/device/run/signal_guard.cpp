// SPDX-License-Identifier: MIT
#include "run/signal_guard.h"

#include <pthread.h>
#include <ucontext.h>

#include <cstdint>
#include <string>

#include "program/source_line.h"
#include "report/words.h"
#include "run/block.h"
#include "run/fiber.h"
#include "run/poll.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/schedule.h"
#include "run/scheduler.h"
#include "run/untraced.h"
#include "simt/error_state.h"

// Where the linker puts the program's code.
extern "C" char __executable_start;
extern "C" char etext;

namespace simt::device {
namespace {

// A thread that has used up its own stack cannot handle the signal on it.
alignas(64) std::byte g_signal_stack[64 << 10];

// The instruction that trapped, as a return address; if it is the emulator's own (an atomic
// function) or the C library's (memcpy), the address to which that returns.
const void* trap_pc(const ucontext_t& context) {
#if defined(__x86_64__)
  const auto pc = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#else
  const auto pc = static_cast<std::uintptr_t>(context.uc_mcontext.pc);
#endif
  const void* const return_address = reinterpret_cast<const void*>(pc + 1);
  const auto begin = reinterpret_cast<std::uintptr_t>(&__executable_start);
  const auto end = reinterpret_cast<std::uintptr_t>(&etext);
  const bool is_program = pc >= begin && pc < end;
  return is_program && source_line(return_address).line != 0 ? return_address : running.lane->pc;
}

// The likely reason why a pointer is null.
std::string why_null() {
  const std::string line = program_line_name(failed_allocation().stack);
  if (line.empty()) return "; if this pointer may be null, test for it first";
  return "; an allocation failed in " + line +
         " (cudaErrorMemoryAllocation): check its result before you use the pointer";
}

// x86-64 gives no address for an access that it refuses for its form.
std::string describe_address(const siginfo_t& info) {
  if (info.si_code == SI_KERNEL) {
    return "accessed memory that is misaligned for its type, or an address that no memory can have; "
           "--checks memory shows which";
  }
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  if (running.fiber->stack_low - address <= kGuardBytes) {
    return "used up its stack of " + std::to_string(kStackBytes >> 10) +
           " KiB: recursion without end, or local arrays too large";
  }
  if (address < 4096) return "dereferenced a null pointer" + why_null();
  return "accessed address " + hex(address) + ", which is not mapped";
}

// After so much processor time without any hook the thread is in a loop that has none.
constexpr timeval kTick = {.tv_sec = 0, .tv_usec = 100'000};
constexpr int kTicksPerSecond = 10;
constexpr int kMaxIdleTicks = 5;

constexpr int kMaxTicksOfOneTurn = kMaxTurnSeconds * kTicksPerSecond;

bool turn_takes_too_long() {
  static std::uint64_t last_switches = 0;
  static const Lane* last_lane = nullptr;  // in a block without barriers there are no switches
  static int ticks = 0;
  ticks = running.switches == last_switches && running.lane == last_lane ? ticks + 1 : 0;
  last_switches = running.switches;
  last_lane = running.lane;
  return ticks >= kMaxTicksOfOneTurn;
}

TooLong what_takes_too_long() {
  if (turn_takes_too_long()) return TooLong::kTurn;
  return time_is_up() ? TooLong::kTime : TooLong::kNot;
}

bool is_stuck() {
  static std::uint64_t last_activity = 0;
  static int idle_ticks = 0;
  idle_ticks = running.activity() == last_activity ? idle_ticks + 1 : 0;
  last_activity = running.activity();
  return idle_ticks >= kMaxIdleTicks;
}

// The thread that runs the kernel; the timer's signal may reach any.
pthread_t g_kernels_thread;

void handle(int signal, siginfo_t* info, void* context) {
  if (signal == SIGVTALRM && pthread_equal(g_kernels_thread, pthread_self()) == 0) {
    pthread_kill(g_kernels_thread, signal);
    return;
  }
  const bool on_fiber = running.in_kernel();
  const TooLong too_long = signal == SIGVTALRM && on_fiber ? what_takes_too_long() : TooLong::kNot;
  if (code_is_announced && too_long != TooLong::kNot) end_at_next_step(too_long);
  const bool ends = code_is_announced ? on_fiber && is_stuck() : too_long != TooLong::kNot;
  if (signal == SIGVTALRM && !ends) return;
  if (!on_fiber) {  // the host's own fault
    ::signal(signal, SIG_DFL);
    return;  // and trap again
  }
  const Untraced untraced;
  const void* const pc = trap_pc(*static_cast<const ucontext_t*>(context));
  const std::string thread = running_thread_name() + " ";
  if (!code_is_announced && too_long != TooLong::kNot) end_too_long(too_long, pc);
  if (signal == SIGVTALRM) end_endless_loop(pc);
  switch (signal) {
    case SIGFPE:
      end_kernel(
          {cudaErrorLaunchFailure, FindingKind::kCrash, thread + "divided an integer by zero", pc});
    case SIGILL:
    case SIGTRAP:  // what __builtin_trap() raises on aarch64
      end_kernel({cudaErrorLaunchFailure, FindingKind::kCrash,
                  thread + "reached code that must not be reached", pc});
    default:
      end_kernel({cudaErrorIllegalAddress, FindingKind::kOutOfBounds,
                  thread + describe_address(*info), pc});
  }
}

}  // namespace

SignalGuard::SignalGuard() {
  g_kernels_thread = pthread_self();
  stack_t stack = {};
  stack.ss_sp = g_signal_stack;
  stack.ss_size = sizeof g_signal_stack;
  sigaltstack(&stack, &old_stack_);
  struct sigaction action = {};
  action.sa_sigaction = handle;
  // The handler never returns from a kernel's fault, so the signal must not stay blocked.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    sigaction(kSignals[i], &action, &old_actions_[i]);
  const itimerval timer = {.it_interval = kTick, .it_value = kTick};
  setitimer(ITIMER_VIRTUAL, &timer, &old_timer_);
}

SignalGuard::~SignalGuard() {
  setitimer(ITIMER_VIRTUAL, &old_timer_, nullptr);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    // A last tick may still be on its way by another thread; by default it would end the process.
    const bool may_tick = kSignals[i] == SIGVTALRM && old_actions_[i].sa_handler == SIG_DFL;
    if (may_tick) old_actions_[i].sa_handler = SIG_IGN;
    sigaction(kSignals[i], &old_actions_[i], nullptr);
  }
  sigaltstack(&old_stack_, nullptr);
}

}  // namespace simt::device
