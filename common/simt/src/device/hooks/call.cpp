// SPDX-License-Identifier: MIT
// What g++ calls, by -mindirect-branch=thunk-extern, in place of a call through a pointer.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "check/own_memory.h"
#include "hooks/converters.h"
#include "hooks/host_call.h"
#include "hooks/keep_arguments.h"
#include "program/address.h"
#include "program/own_parts.h"
#include "report/report_at.h"
#include "run/confined.h"
#include "run/return_stack.h"
#include "run/untraced.h"
#include "simt/confine.h"
#include "simt/sealed.h"

extern "C" void simt_free(void* pointer);

namespace simt::device {
namespace {

constexpr std::uintptr_t kFirstPages = 64 << 10;

bool begins_own_function(std::uintptr_t target) {
  if (simt_confined.own == nullptr) {
    std::pmr::polymorphic_allocator<> sealed(sealed_memory());
    open_confined(true);
    simt_confined.own =
        sealed.new_object<std::pmr::vector<std::uintptr_t>>(own_functions(sealed_memory()));
    open_confined(false);
  }
  return std::binary_search(simt_confined.own->begin(), simt_confined.own->end(), target);
}

bool is_other(std::uintptr_t target) {
  const auto end = simt_confined.others.begin() + simt_confined.num_others;
  return std::find(simt_confined.others.begin(), end, target) != end;
}

// The virtual functions of the C++ library that a rung's code calls itself: of exceptions, and of
// what its templates for text call for one character.
constexpr std::string_view kOfCharacters[] = {
    "_ZNKSt5ctypeIcE8do_widenEc",    "_ZNKSt5ctypeIwE8do_widenEc",
    "_ZNKSt5ctypeIcE9do_narrowEcc",  "_ZNKSt5ctypeIwE9do_narrowEwc",
    "_ZNKSt5ctypeIcE10do_toupperEc", "_ZNKSt5ctypeIwE10do_toupperEw",
    "_ZNKSt5ctypeIcE10do_tolowerEc", "_ZNKSt5ctypeIwE10do_tolowerEw",
    "_ZNKSt5ctypeIwE5do_isEtw"};

// Its name if it is one of these, else null.
const char* name_in_library(std::uintptr_t target) {
  Dl_info found = {};
  if (dladdr(reinterpret_cast<const void*>(target), &found) == 0) return nullptr;
  if (found.dli_sname == nullptr || number(found.dli_saddr) != target) return nullptr;
  const std::string_view name(found.dli_sname);
  const bool is_known = name.ends_with("4whatEv") ||
                        std::ranges::find(kOfCharacters, name) != std::end(kOfCharacters);
  return is_known ? found.dli_sname : nullptr;
}

// What std::unique_ptr<T, decltype(&std::free)> calls: in a rung, free has this name.
bool is_free(std::uintptr_t target) {
  return target == reinterpret_cast<std::uintptr_t>(&simt_free);
}

// A call into the first pages will trap, as without us.
bool may_be_called(std::uintptr_t target) {
  return target < kFirstPages || is_other(target) || begins_own_function(target) ||
         is_converter(target) || is_free(target) || is_door(target);
}

[[noreturn]] void end_call(const void* pc) {
  const SourcePlace where = place_in_host_code(pc);
  std::fprintf(stderr,
               "%s:%d: calls, through a pointer, what is no function of this file's (a library's "
               "function can be called in a lambda)\n",
               where.file.c_str(), where.line);
  _exit(kSealedStatus);
}

}  // namespace
}  // namespace simt::device

extern "C" [[gnu::used]] void simt_check_call(std::uintptr_t target, const void* pc) {
  const char* name = nullptr;
  {
    const simt::device::Untraced untraced;
    if (simt::device::may_be_called(target)) return;
    name = simt::device::name_in_library(target);
    if (name == nullptr) simt::device::end_call(pc);
  }
  // In a kernel such a function would read its object without being announced.
  simt::device::end_host_call(name, pc);
}

namespace simt {

void confine(std::span<const AnyFunction> others) {
  device::guard_memory();
  device::begin_shadows();
  device::Confined& confined = device::simt_confined;
  for (const AnyFunction other : others) {
    confined.others.at(confined.num_others++) = reinterpret_cast<std::uintptr_t>(other);
  }
  confined.is_confined = 1;
  device::open_confined(false);
}

void check_call(AnyFunction function) {
  if (device::simt_confined.is_confined == 0) return;
  simt_check_call(reinterpret_cast<std::uintptr_t>(function), __builtin_return_address(0));
}

AnyFunction what_of(const std::exception& example) {
  constexpr int kWhat = 2;  // behind two destructors, by the C++ ABI of both processors
  return (*reinterpret_cast<const AnyFunction* const*>(&example))[kWhat];
}

std::string text_of(const std::exception& thrown) {
  check_call(what_of(thrown));
  return thrown.what();
}

}  // namespace simt

#if defined(__x86_64__)

// The target is in the register that the name ends with. All others belong to the call, so the slow
// way keeps those in which it may pass arguments.
asm(R"(
.text
.macro simt_thunk register
.globl __x86_indirect_thunk_\register
.type __x86_indirect_thunk_\register, @function
__x86_indirect_thunk_\register:
  cmpb $0, simt_confined(%rip)
  jne 1f
  jmp *%\register
1:
  movq %\register, %r11
  jmp simt_checked_jump
.size __x86_indirect_thunk_\register, . - __x86_indirect_thunk_\register
.endm
.irp register, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
simt_thunk \register
.endr
.purgem simt_thunk

.type simt_checked_jump, @function
simt_checked_jump:
)" SIMT_KEEP_ARGUMENTS R"(
  movq %r11, %rdi
  movq 200(%rsp), %rsi
  call simt_check_call
)" SIMT_RESTORE_ARGUMENTS R"(
  jmp *%r11
.size simt_checked_jump, . - simt_checked_jump
)");

#endif
