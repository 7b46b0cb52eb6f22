// SPDX-License-Identifier: MIT
#include <signal.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "client.h"
#include "lockstep_runtime.h"
#include "memory/address_map.h"
#include "report/finding.h"

extern "C" void* __libc_stack_end;  // where the main thread's stack begins

namespace runtime {
namespace {

void (*g_last_words)(const std::string& what) = nullptr;
std::uint64_t g_stack_low = 0;
std::size_t g_stack_bytes = 0;

void report_host(report::Kind kind, const serve::Place& place, const std::string& message) {
  serve::Request request;
  request.place = place;
  request.kind = static_cast<std::uint32_t>(kind);
  Client::get().call(serve::Command::kReportHost, request, message.substr(0, 4096));
}

std::uint64_t program_counter(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uint64_t>(machine.gregs[REG_RIP]);
#else
  return machine.pc;
#endif
}

bool is_write(const void* context) {
#if defined(__x86_64__)
  constexpr long long kWriteBit = 2;
  return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWriteBit) != 0;
#else
  static_cast<void>(context);
  return false;
#endif
}

std::uint64_t stack_pointer(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uint64_t>(machine.gregs[REG_RSP]);
#else
  return machine.sp;
#endif
}

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 20> text;
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(number));
  return text.data();
}

std::string what_happened(int signal, const siginfo_t& info, std::uint64_t stack) {
  constexpr std::uint64_t kNullPages = 4096;     // an item or a member of a null pointer
  constexpr std::uint64_t kBelow = 64 << 10;     // how far below its frame a call writes
  constexpr std::uint64_t kEnviron = 256 << 10;  // the stack's limit counts these bytes, too
  if (signal == SIGFPE) return "divided an integer by zero";
  if (signal == SIGILL) return "reached code that must not be reached";
  if (info.si_code == SI_KERNEL) return "accessed an address that no memory can have";
  const auto address = reinterpret_cast<std::uint64_t>(info.si_addr);
  if (address < g_stack_low + kEnviron && address + kBelow >= stack) {
    return "used up its stack of " + std::to_string(g_stack_bytes >> 20) +
           " MiB: recursion without end, or local arrays too large";
  }
  if (address < kNullPages) return "dereferenced a null pointer";
  return "accessed address " + hexadecimal(address) + ", which is not mapped for that";
}

// The process ends in any case; what it says on the way needs no more than its own memory.
void on_crash(int signal, siginfo_t* info, void* context) {
  ::signal(signal, SIG_DFL);
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  const serve::Place place = place_of(reinterpret_cast<const void*>(program_counter(context) + 1));
  std::string what = "the host code " + what_happened(signal, *info, stack_pointer(context));
  if ((signal == SIGSEGV || signal == SIGBUS) && memory::is_device(address)) {
    what =
        is_write(context)
            ? "the host writes to the device's memory itself: on a GPU that is a segmentation "
              "fault; set it with cudaMemsetAsync, or copy with cudaMemcpyAsync"
            : "the host reads the device's memory itself: on a GPU that is a segmentation fault; "
              "copy it with cudaMemcpy";
    report_host(report::Kind::kHostPointer, place, what);
  } else {
    report_host(report::Kind::kCrash, place, what);
  }
  if (g_last_words != nullptr) g_last_words(what);
  raise(signal);
}

}  // namespace

void explain_host_crashes(void (*last_words)(const std::string& what)) {
  g_last_words = last_words;
  rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    g_stack_bytes = limit.rlim_cur;
    g_stack_low = reinterpret_cast<std::uint64_t>(__libc_stack_end) - g_stack_bytes;
  }
  static std::array<std::byte, 256 << 10> stack;  // a stack that is used up leaves no room
  stack_t own = {};
  own.ss_sp = stack.data();
  own.ss_size = stack.size();
  sigaltstack(&own, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
}

void forget_errors() { forget_origins(); }

void* scratch_room(std::size_t size_bytes) {
  serve::Request request;
  request.size_bytes = size_bytes;
  Client& client = Client::get();
  const std::lock_guard lock(client.mutex());
  client.call(serve::Command::kScratchRoom, request);
  return reinterpret_cast<void*>(client.reply().address);
}

void declare_scratch(void* d_base, std::size_t size_bytes, const std::string& name) {
  serve::Request request;
  request.address = reinterpret_cast<std::uint64_t>(d_base);
  request.size_bytes = size_bytes;
  Client::get().call(serve::Command::kDeclareScratch, request, name);
}

void retire_scratch() {
  serve::Request request;
  Client::get().call(serve::Command::kRetireScratch, request);
}

void report_error(const std::string& function, const std::string& what, bool was_ignored) {
  const ErrorOrigin& failed = failed_allocation();
  const ErrorOrigin& last = last_error_origin();
  const bool is_last = failed.place.line == last.place.line;
  if (failed.place.line != 0 && (!is_last || has_sticky_error())) {
    report_host(report::Kind::kLaunchError, failed.place,
                function + " ignored an error: line " + std::to_string(failed.place.line) + ", " +
                    failed.what +
                    ": cudaErrorMemoryAllocation: out of memory. Its pointer is null: put check() "
                    "around each CUDA call");
  }
  if (has_sticky_error()) return;  // a kernel's fault, which is a finding already
  if (last.place.line == 0) return;
  const std::string culprit = "line " + std::to_string(last.place.line) + ", " +
                              (last.what.empty() ? "a CUDA call" : last.what) + ": " + what;
  report_host(report::Kind::kLaunchError, last.place,
              was_ignored
                  ? function + " ignored an error: " + culprit +
                        ". Ask for the error after each launch, as check_launch() does, and "
                        "put check() around each CUDA call"
                  : culprit);
}

}  // namespace runtime
