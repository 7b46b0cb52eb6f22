// SPDX-License-Identifier: MIT
// CUDA's atomic functions, in three scopes: atomicX for the device, atomicX_block, atomicX_system.
// Each returns the old value. They are clang's own atomics, so that the compiler knows which memory
// an address belongs to where the kernel does.
#pragma once

#include "lockstep/keywords.h"
#include "lockstep/vector_types.h"

#ifdef __CUDA__

#define LOCKSTEP_ATOMIC(name, builtin, T, scope)               \
  LOCKSTEP_DEVICE T name(T* address, T operand) {              \
    return builtin(address, operand, __ATOMIC_RELAXED, scope); \
  }
#define LOCKSTEP_ATOMIC_WORDS(name, builtin, scope)   \
  LOCKSTEP_ATOMIC(name, builtin, int, scope)          \
  LOCKSTEP_ATOMIC(name, builtin, unsigned int, scope) \
  LOCKSTEP_ATOMIC(name, builtin, unsigned long long, scope)
#define LOCKSTEP_ATOMIC_CAS(name, T, scope)                                                  \
  LOCKSTEP_DEVICE T name(T* address, T expected, T desired) {                                \
    __scoped_atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_RELAXED, \
                                       __ATOMIC_RELAXED, scope);                             \
    return expected;                                                                         \
  }

// Adds each component atomically by itself.
#define LOCKSTEP_ATOMIC_VECTORS(suffix)                                       \
  LOCKSTEP_DEVICE float2 atomicAdd##suffix(float2* address, float2 operand) { \
    float2 old;                                                               \
    old.x = atomicAdd##suffix(&address->x, operand.x);                        \
    old.y = atomicAdd##suffix(&address->y, operand.y);                        \
    return old;                                                               \
  }                                                                           \
  LOCKSTEP_DEVICE float4 atomicAdd##suffix(float4* address, float4 operand) { \
    float4 old;                                                               \
    old.x = atomicAdd##suffix(&address->x, operand.x);                        \
    old.y = atomicAdd##suffix(&address->y, operand.y);                        \
    old.z = atomicAdd##suffix(&address->z, operand.z);                        \
    old.w = atomicAdd##suffix(&address->w, operand.w);                        \
    return old;                                                               \
  }

#define LOCKSTEP_ATOMICS(suffix, scope)                                               \
  LOCKSTEP_ATOMIC_WORDS(atomicAdd##suffix, __scoped_atomic_fetch_add, scope)          \
  LOCKSTEP_ATOMIC(atomicAdd##suffix, __scoped_atomic_fetch_add, float, scope)         \
  LOCKSTEP_ATOMIC(atomicAdd##suffix, __scoped_atomic_fetch_add, double, scope)        \
  LOCKSTEP_ATOMIC(atomicSub##suffix, __scoped_atomic_fetch_sub, int, scope)           \
  LOCKSTEP_ATOMIC(atomicSub##suffix, __scoped_atomic_fetch_sub, unsigned int, scope)  \
  LOCKSTEP_ATOMIC_WORDS(atomicExch##suffix, __scoped_atomic_exchange_n, scope)        \
  LOCKSTEP_DEVICE float atomicExch##suffix(float* address, float operand) {           \
    float old;                                                                        \
    __scoped_atomic_exchange(address, &operand, &old, __ATOMIC_RELAXED, scope);       \
    return old;                                                                       \
  }                                                                                   \
  LOCKSTEP_ATOMIC_WORDS(atomicMin##suffix, __scoped_atomic_fetch_min, scope)          \
  LOCKSTEP_ATOMIC(atomicMin##suffix, __scoped_atomic_fetch_min, long long, scope)     \
  LOCKSTEP_ATOMIC_WORDS(atomicMax##suffix, __scoped_atomic_fetch_max, scope)          \
  LOCKSTEP_ATOMIC(atomicMax##suffix, __scoped_atomic_fetch_max, long long, scope)     \
  LOCKSTEP_ATOMIC_WORDS(atomicAnd##suffix, __scoped_atomic_fetch_and, scope)          \
  LOCKSTEP_ATOMIC_WORDS(atomicOr##suffix, __scoped_atomic_fetch_or, scope)            \
  LOCKSTEP_ATOMIC_WORDS(atomicXor##suffix, __scoped_atomic_fetch_xor, scope)          \
  LOCKSTEP_ATOMIC(atomicInc##suffix, __scoped_atomic_fetch_uinc, unsigned int, scope) \
  LOCKSTEP_ATOMIC(atomicDec##suffix, __scoped_atomic_fetch_udec, unsigned int, scope) \
  LOCKSTEP_ATOMIC_CAS(atomicCAS##suffix, int, scope)                                  \
  LOCKSTEP_ATOMIC_CAS(atomicCAS##suffix, unsigned int, scope)                         \
  LOCKSTEP_ATOMIC_CAS(atomicCAS##suffix, unsigned long long, scope)                   \
  LOCKSTEP_ATOMIC_CAS(atomicCAS##suffix, unsigned short, scope)                       \
  LOCKSTEP_ATOMIC_VECTORS(suffix)

LOCKSTEP_ATOMICS(, __MEMORY_SCOPE_DEVICE)
LOCKSTEP_ATOMICS(_block, __MEMORY_SCOPE_WRKGRP)
LOCKSTEP_ATOMICS(_system, __MEMORY_SCOPE_SYSTEM)
#undef LOCKSTEP_ATOMICS
#undef LOCKSTEP_ATOMIC_VECTORS
#undef LOCKSTEP_ATOMIC_CAS
#undef LOCKSTEP_ATOMIC_WORDS
#undef LOCKSTEP_ATOMIC

#endif
