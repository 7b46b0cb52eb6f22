// SPDX-License-Identifier: MIT
// What g++ calls where a function of the program's begins, by -pg -mfentry, and in place of its
// return, by -mfunction-return=thunk-extern.
#if defined(__x86_64__)

#include <unistd.h>

#include <cstddef>
#include <cstdio>

#include "report/report_at.h"
#include "run/return_stack.h"
#include "run/untraced.h"
#include "simt/confine.h"
#include "simt/sealed.h"

// The address to which the function should return is behind a call of it; null if the stack has no
// shadow.
extern "C" [[gnu::used, noreturn]] void simt_end_return(const void* right) {
  const simt::device::Untraced untraced;
  const simt::SourcePlace where = simt::device::place_in_host_code(right);
  std::fprintf(stderr,
               "%s:%d: the function that is called here would return to elsewhere: something "
               "overwrote the return address on its stack\n",
               where.file.c_str(), where.line);
  _exit(simt::kSealedStatus);
}

namespace simt::device {
static_assert(offsetof(ReturnStack, stack.low) == 0);
static_assert(offsetof(ReturnStack, stack.size_bytes) == 8);
static_assert(offsetof(ReturnStack, to_shadow) == 16);
}  // namespace simt::device

// The registers that a beginning function may need are kept, and at its end those of its result.
asm(R"(
.text
.globl __fentry__
.type __fentry__, @function
__fentry__:
  cmpb $0, simt_confined(%rip)
  jne 1f
  ret
1:
  pushq %rax
  leaq 16(%rsp), %r11
  movq %r11, %rax
  subq simt_return_stack(%rip), %rax
  cmpq simt_return_stack+8(%rip), %rax
  jae 2f
  addq simt_return_stack+16(%rip), %r11
  movq 16(%rsp), %rax
  movq %rax, (%r11)
2:
  popq %rax
  ret
.size __fentry__, . - __fentry__

.globl __x86_return_thunk
.type __x86_return_thunk, @function
__x86_return_thunk:
  cmpb $0, simt_confined(%rip)
  jne 1f
  ret
1:
  movq %rsp, %rcx
  movq %rsp, %r11
  subq simt_return_stack(%rip), %rcx
  cmpq simt_return_stack+8(%rip), %rcx
  jae 2f
  addq simt_return_stack+16(%rip), %r11
  movq (%rsp), %rcx
  cmpq (%r11), %rcx
  jne 3f
  ret
2:
  xorl %edi, %edi
  jmp 4f
3:
  movq (%r11), %rdi
4:
  andq $-16, %rsp
  call simt_end_return
.size __x86_return_thunk, . - __x86_return_thunk
)");

#endif
