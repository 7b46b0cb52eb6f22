// SPDX-License-Identifier: MIT
// What the host's own code does wrong with memory: a touch of managed or pinned memory that a
// kernel may still use, a pointer to the device's memory, and crashes.
#include <sys/resource.h>
#include <ucontext.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "connection.h"
#include "lockstep_runtime.h"
#include "memory/address_map.h"
#include "place.h"
#include "report/finding.h"
#include "shared_pages.h"

extern "C" void* __libc_stack_end;  // where the main thread's stack begins

namespace runtime {
namespace {

constexpr std::array kCrashSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

void (*g_last_words)(const std::string& what) = nullptr;
std::uint64_t g_stack_low = 0;
std::size_t g_stack_bytes = 0;

struct Registers {
  std::uint64_t counter;
  std::uint64_t stack;
  bool writes;
};

Registers registers(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  constexpr long long kWriteBit = 2;
  return {static_cast<std::uint64_t>(machine.gregs[REG_RIP]),
          static_cast<std::uint64_t>(machine.gregs[REG_RSP]),
          (machine.gregs[REG_ERR] & kWriteBit) != 0};
#else
  constexpr std::uint32_t kEsrMagic = 0x45535201;
  constexpr std::uint64_t kWriteBit = 1 << 6;
  std::uint64_t syndrome = 0;
  const unsigned char* at = machine.__reserved;
  for (int i = 0; i < 8; ++i) {  // records, each with its magic number and size
    std::uint32_t head[2];
    __builtin_memcpy(head, at, sizeof head);
    if (head[0] == 0 || head[1] == 0) break;
    if (head[0] == kEsrMagic) __builtin_memcpy(&syndrome, at + sizeof head, sizeof syndrome);
    at += head[1];
  }
  return {machine.pc, machine.sp, (syndrome & kWriteBit) != 0};
#endif
}

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 20> text;
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(number));
  return text.data();
}

std::string describe_address(const siginfo_t& info, std::uint64_t stack) {
  constexpr std::uint64_t kNullPages = 4096;     // an item or a member of a null pointer
  constexpr std::uint64_t kBelow = 64 << 10;     // how far below its frame a call writes
  constexpr std::uint64_t kEnviron = 256 << 10;  // the stack's limit counts these bytes, too
  if (info.si_code == SI_KERNEL) return "accessed an address that no memory can have";
  const auto address = reinterpret_cast<std::uint64_t>(info.si_addr);
  if (address < g_stack_low + kEnviron && address + kBelow >= stack) {
    return "used up its stack of " + std::to_string(g_stack_bytes >> 20) +
           " MiB: recursion without end, or local arrays too large";
  }
  if (address < kNullPages) return "dereferenced a null pointer";
  return "accessed address " + hexadecimal(address) + ", which is not mapped for that";
}

// The number of a check in clang's list of sanitizer handlers, which the trap at `counter` carries;
// -1: it is another instruction.
int failed_check(std::uint64_t counter) {
  std::array<unsigned char, 5> code;
  __builtin_memcpy(code.data(), reinterpret_cast<const void*>(counter), code.size());
#if defined(__x86_64__)
  if (code[0] != 0x67 || code[1] != 0x0f || code[2] != 0xb9) return -1;  // ud1
  return code[3] == 0 ? 0 : code[3] == 0x40 ? code[4] : -1;
#else
  const std::uint32_t word = code[0] | code[1] << 8 | code[2] << 16 | std::uint32_t{code[3]} << 24;
  const std::uint32_t immediate = word >> 5 & 0xffff;
  const bool is_brk = (word & 0xffe0001f) == 0xd4200000 && immediate >> 8 == 0x55;
  return is_brk ? static_cast<int>(immediate & 0xff) : -1;
#endif
}

std::string describe_trap(std::uint64_t counter) {
  switch (failed_check(counter)) {
    case 0:
    case 12:
    case 13:
    case 21:  // add, multiply, negate, subtract
      return "computed a number that does not fit its type, such as an int above 2147483647: make "
             "an operand a std::size_t first";
    case 11:
      return "reached the end of a function that must return a value";
    case 18:
      return "used an index that is outside of its array";
    default:
      return "reached code that must not be reached";
  }
}

std::string describe(int signal, const siginfo_t& info, const Registers& at) {
  if (signal == SIGFPE) return "divided an integer by zero";
  if (signal == SIGILL || signal == SIGTRAP) return describe_trap(at.counter);
  return describe_address(info, at.stack);
}

serve::Place place_of_crash(std::uint64_t counter) {
  const serve::Place& place = place_of(reinterpret_cast<const void*>(counter + 1));
  return place.line != 0 ? place : place_of_callers();
}

// Whether the device's memory was touched; then `text` says what is wrong with that, if anything.
bool touch_device(const siginfo_t& info, const Registers& at, std::string* text) {
  const auto address = reinterpret_cast<std::uint64_t>(info.si_addr);
  if (info.si_code == SI_KERNEL || !memory::is_device(address) || !Connection::exists()) {
    return false;
  }
  const bool is_closed = is_closed_page(address);
  const auto asked = ask(serve::Touch{address, at.writes ? 1U : 0U, 0, place_of_crash(at.counter)});
  if (is_closed) {
    open_page(address);
  } else {
    *text = asked.tail;
  }
  return true;
}

void handle(int signal, siginfo_t* info, void* context) {
  const Registers at = registers(context);
  std::string text;
  const bool is_memory = (signal == SIGSEGV || signal == SIGBUS) && info->si_code > 0;
  const bool is_devices = is_memory && touch_device(*info, at, &text);
  if (is_devices && text.empty()) return;  // and access it again
  for (const int other : kCrashSignals) std::signal(other, SIG_DFL);
  if (info->si_code <= 0) {  // another process, or the program itself, sent it
    raise(signal);
    return;
  }
  if (!is_devices) {
    text = "the host code " + describe(signal, *info, at);
    if (Connection::is_possible()) report_host_crash(place_of_crash(at.counter), text);
  }
  if (g_last_words != nullptr) g_last_words(text);
}  // and crash again

}  // namespace

void report_host_crash(const serve::Place& place, const std::string& what) {
  const serve::Report command{static_cast<std::uint32_t>(report::Kind::kCrash), 0,
                              static_cast<std::uint32_t>(what.size()), 0, place};
  ask(command, what);
}

void explain_host_crashes(void (*last_words)(const std::string& what)) {
  g_last_words = last_words;
  rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    g_stack_bytes = limit.rlim_cur;
    g_stack_low = reinterpret_cast<std::uint64_t>(__libc_stack_end) - g_stack_bytes;
  }
  // A thread that has used up its own stack cannot handle the signal on it.
  alignas(64) static std::array<std::byte, 256 << 10> own;
  stack_t stack = {};
  stack.ss_sp = own.data();
  stack.ss_size = own.size();
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal : kCrashSignals) sigaction(signal, &action, nullptr);
}

}  // namespace runtime
