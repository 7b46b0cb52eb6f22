// SPDX-License-Identifier: MIT
#include "run/switch_stack.h"

#include <array>

namespace simt::device {
namespace {

// What a switch keeps on the stack that it leaves: the registers that a function must restore, in
// the order of their addresses.
#if defined(__x86_64__)

asm(R"(
.text
.p2align 4
.hidden simt_switch_stack
.globl simt_switch_stack
.type simt_switch_stack, @function
simt_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size simt_switch_stack, . - simt_switch_stack
)");

// The words of a frame; in the last one `entry` looks for its return address.
using Frame = std::array<void*, 8>;

void fill(Frame& frame, void (*entry)()) { frame[6] = reinterpret_cast<void*>(entry); }

#elif defined(__aarch64__)

asm(R"(
.text
.p2align 4
.hidden simt_switch_stack
.globl simt_switch_stack
.type simt_switch_stack, %function
simt_switch_stack:
  stp x19, x20, [sp, -160]!
  stp x21, x22, [sp, 16]
  stp x23, x24, [sp, 32]
  stp x25, x26, [sp, 48]
  stp x27, x28, [sp, 64]
  stp x29, x30, [sp, 80]
  stp d8, d9, [sp, 96]
  stp d10, d11, [sp, 112]
  stp d12, d13, [sp, 128]
  stp d14, d15, [sp, 144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x21, x22, [sp, 16]
  ldp x23, x24, [sp, 32]
  ldp x25, x26, [sp, 48]
  ldp x27, x28, [sp, 64]
  ldp x29, x30, [sp, 80]
  ldp d8, d9, [sp, 96]
  ldp d10, d11, [sp, 112]
  ldp d12, d13, [sp, 128]
  ldp d14, d15, [sp, 144]
  ldp x19, x20, [sp], 160
  ret
.size simt_switch_stack, . - simt_switch_stack

.p2align 4
.hidden simt_enter_stack
.globl simt_enter_stack
.type simt_enter_stack, %function
simt_enter_stack:
  mov x30, xzr
  br x19
.size simt_enter_stack, . - simt_enter_stack
)");

extern "C" void simt_enter_stack();

using Frame = std::array<void*, 20>;

void fill(Frame& frame, void (*entry)()) {
  frame[0] = reinterpret_cast<void*>(entry);              // x19
  frame[11] = reinterpret_cast<void*>(simt_enter_stack);  // x30
}

#else
#error "Lockstep runs on x86-64 and aarch64."
#endif

}  // namespace

void* prepare_stack(std::uintptr_t top, void (*entry)()) {
  constexpr std::uintptr_t kAlignment = 16;  // of a stack, on both processors
  auto* const frame = reinterpret_cast<Frame*>(top / kAlignment * kAlignment) - 1;
  *frame = {};  // a return address of null is where a walk of the stack ends
  fill(*frame, entry);
  return frame;
}

}  // namespace simt::device
