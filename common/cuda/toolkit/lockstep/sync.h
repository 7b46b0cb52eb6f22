// SPDX-License-Identifier: MIT
// Barriers of a block, memory fences, time and the end of a kernel.
#pragma once

#include "lockstep/keywords.h"

#ifdef __CUDA__

// __syncthreads() is a function of clang.
LOCKSTEP_DEVICE int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
LOCKSTEP_DEVICE int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
LOCKSTEP_DEVICE int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }

LOCKSTEP_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
LOCKSTEP_DEVICE void __threadfence() { __nvvm_membar_gl(); }
LOCKSTEP_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

LOCKSTEP_DEVICE void __nanosleep(unsigned int ns) { __nvvm_nanosleep(ns); }
LOCKSTEP_DEVICE int clock() { return __nvvm_read_ptx_sreg_clock(); }
LOCKSTEP_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }

LOCKSTEP_DEVICE void __trap() { __asm__ volatile("trap;"); }
LOCKSTEP_DEVICE void __brkpt() { __asm__ volatile("brkpt;"); }

#endif
