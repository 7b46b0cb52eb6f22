// SPDX-License-Identifier: MIT
// Where the doors lead that simt_host_calls makes (doors/main.cpp).
#include "hooks/host_call.h"

#include <cxxabi.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "hooks/keep_arguments.h"
#include "program/address.h"
#include "run/confined.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/scheduler.h"
#include "run/untraced.h"

extern "C" {
[[gnu::weak]] extern const char __start_simt_host_calls[];
[[gnu::weak]] extern const char __stop_simt_host_calls[];
}

namespace simt::device {
namespace {

constexpr std::uintptr_t kDoorBytes = 32;

// std::string, and not std::__cxx11::basic_string<char, ...>::append(char const*).
std::string plain_name(const char* symbol) {
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol, nullptr, nullptr, nullptr), &std::free);
  if (demangled == nullptr) return symbol;
  std::string name = demangled.get();
  constexpr std::string_view kVersion = "__cxx11::";
  if (const auto at = name.find(kVersion); at != std::string::npos) name.erase(at, kVersion.size());
  name.resize(std::min(name.size(), name.find_first_of("<(")));
  constexpr std::string_view kBasic = "basic_";
  if (const auto at = name.find(kBasic); at != std::string::npos) name.erase(at, kBasic.size());
  return name == "std::operator" ? "an operator of namespace std" : name;
}

// "calls std::ostream::write", or "makes a std::runtime_error".
std::string said_of(const char* symbol) {
  const std::string name = plain_name(symbol);
  const std::size_t at = name.rfind("::");
  const bool is_constructor =
      at != std::string::npos && std::string_view(name).substr(0, at).ends_with(name.substr(at));
  return is_constructor ? "makes a " + name.substr(0, at) : "calls " + name;
}

}  // namespace

void end_host_call(const char* function, const void* pc) {
  if (!running.in_kernel()) return;
  const Untraced untraced;
  end_kernel({cudaErrorLaunchFailure, FindingKind::kCrash,
              running_thread_name() + " " + said_of(function) + ", which only the host has", pc});
}

bool is_door(std::uintptr_t target) {
  const std::uintptr_t offset = target - number(__start_simt_host_calls);
  return offset < number(__stop_simt_host_calls) - number(__start_simt_host_calls) &&
         offset % kDoorBytes == 0;
}

extern "C" [[gnu::used]] void simt_check_host_call(const char* function, const void* pc) {
  end_host_call(function, pc);
}

// Where the assembly below finds whether a kernel runs.
#define SIMT_OFFSET_OF_LAUNCH "72"
static_assert(offsetof(Running, launch) == 72);

}  // namespace simt::device

namespace simt {

void enter_variadic() {
  if (!device::running.in_kernel() || device::simt_confined.is_confined == 0) return;
  const void* const pc = __builtin_return_address(0);
  const device::Untraced untraced;
  device::end_kernel(
      {cudaErrorLaunchFailure, FindingKind::kCrash,
       device::running_thread_name() +
           " calls a function with \"...\", whose arguments no counter sees: make it "
           "a template, or declare its parameters",
       pc});
}

}  // namespace simt

#if defined(__x86_64__)

// A door leaves the name in r10 and the function in r11; all other registers belong to the call.
asm(R"(
.text
.globl simt_host_call
.type simt_host_call, @function
simt_host_call:
  cmpq $0, %fs:_ZN4simt6device7runningE@tpoff + )" SIMT_OFFSET_OF_LAUNCH R"(
  jne 1f
  jmp *%r11
1:
)" SIMT_KEEP_ARGUMENTS R"(
  movq %r10, %rdi
  movq 200(%rsp), %rsi
  call simt_check_host_call
)" SIMT_RESTORE_ARGUMENTS R"(
  jmp *%r11
.size simt_host_call, . - simt_host_call
)");

#else

// The same in x16 and x17.
asm(R"(
.text
.globl simt_host_call
.type simt_host_call, %function
simt_host_call:
  mrs x9, tpidr_el0
  add x9, x9, #:tprel_hi12:_ZN4simt6device7runningE + )" SIMT_OFFSET_OF_LAUNCH R"(, lsl #12
  add x9, x9, #:tprel_lo12_nc:_ZN4simt6device7runningE + )" SIMT_OFFSET_OF_LAUNCH R"(
  ldr x9, [x9]
  cbnz x9, 1f
  br x17
1:
  stp x29, x30, [sp, #-224]!
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  stp x8, x17, [sp, #80]
  stp q0, q1, [sp, #96]
  stp q2, q3, [sp, #128]
  stp q4, q5, [sp, #160]
  stp q6, q7, [sp, #192]
  mov x0, x16
  mov x1, x30
  bl simt_check_host_call
  ldp q6, q7, [sp, #192]
  ldp q4, q5, [sp, #160]
  ldp q2, q3, [sp, #128]
  ldp q0, q1, [sp, #96]
  ldp x8, x17, [sp, #80]
  ldp x6, x7, [sp, #64]
  ldp x4, x5, [sp, #48]
  ldp x2, x3, [sp, #32]
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #224
  br x17
.size simt_host_call, . - simt_host_call
)");

#endif
