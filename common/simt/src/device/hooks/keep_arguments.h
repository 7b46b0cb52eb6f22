// SPDX-License-Identifier: MIT
// x86-64's registers in which a call may pass arguments, and those between it and its target: kept
// around a call of the emulator's on the way. In between, the return address of the call is at
// 200(%rsp).
#pragma once

#define SIMT_KEEP_ARGUMENTS    \
  "  pushq %r11\n"             \
  "  pushq %r10\n"             \
  "  pushq %r9\n"              \
  "  pushq %r8\n"              \
  "  pushq %rdi\n"             \
  "  pushq %rsi\n"             \
  "  pushq %rdx\n"             \
  "  pushq %rcx\n"             \
  "  pushq %rax\n"             \
  "  subq $128, %rsp\n"        \
  "  movups %xmm0, 0(%rsp)\n"  \
  "  movups %xmm1, 16(%rsp)\n" \
  "  movups %xmm2, 32(%rsp)\n" \
  "  movups %xmm3, 48(%rsp)\n" \
  "  movups %xmm4, 64(%rsp)\n" \
  "  movups %xmm5, 80(%rsp)\n" \
  "  movups %xmm6, 96(%rsp)\n" \
  "  movups %xmm7, 112(%rsp)\n"

#define SIMT_RESTORE_ARGUMENTS  \
  "  movups 0(%rsp), %xmm0\n"   \
  "  movups 16(%rsp), %xmm1\n"  \
  "  movups 32(%rsp), %xmm2\n"  \
  "  movups 48(%rsp), %xmm3\n"  \
  "  movups 64(%rsp), %xmm4\n"  \
  "  movups 80(%rsp), %xmm5\n"  \
  "  movups 96(%rsp), %xmm6\n"  \
  "  movups 112(%rsp), %xmm7\n" \
  "  addq $128, %rsp\n"         \
  "  popq %rax\n"               \
  "  popq %rcx\n"               \
  "  popq %rdx\n"               \
  "  popq %rsi\n"               \
  "  popq %rdi\n"               \
  "  popq %r8\n"                \
  "  popq %r9\n"                \
  "  popq %r10\n"               \
  "  popq %r11\n"
