// SPDX-License-Identifier: MIT
// CUDA's atomic functions, in three scopes: atomicX for the device, atomicX_block, atomicX_system.
// Each returns the old value. Those of the device are clang's own atomics, so that the compiler
// knows which memory an address belongs to where the kernel does.
#pragma once

#include "lockstep/keywords.h"
#include "lockstep/scoped_atomic.h"
#include "lockstep/vector_types.h"

#ifdef __CUDA__

// The three forms of a function, of type T.
#define LOCKSTEP_ATOMIC(name, builtin, scoped, T)                              \
  LOCKSTEP_DEVICE T name(T* address, T operand) {                              \
    return builtin(address, operand, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); \
  }                                                                            \
  LOCKSTEP_ATOMIC_SCOPES(name, scoped, T)
#define LOCKSTEP_ATOMIC_SCOPES(name, scoped, T)                          \
  LOCKSTEP_DEVICE T name##_block(T* address, T operand) {                \
    return lockstep::scoped(address, operand, lockstep::Scope::kBlock);  \
  }                                                                      \
  LOCKSTEP_DEVICE T name##_system(T* address, T operand) {               \
    return lockstep::scoped(address, operand, lockstep::Scope::kSystem); \
  }
#define LOCKSTEP_ATOMIC_WORDS(name, builtin, scoped)   \
  LOCKSTEP_ATOMIC(name, builtin, scoped, int)          \
  LOCKSTEP_ATOMIC(name, builtin, scoped, unsigned int) \
  LOCKSTEP_ATOMIC(name, builtin, scoped, unsigned long long)
LOCKSTEP_ATOMIC_WORDS(atomicAdd, __scoped_atomic_fetch_add, scoped_add)
LOCKSTEP_ATOMIC(atomicAdd, __scoped_atomic_fetch_add, scoped_add, float)
LOCKSTEP_ATOMIC(atomicAdd, __scoped_atomic_fetch_add, scoped_add, double)
LOCKSTEP_ATOMIC_WORDS(atomicExch, __scoped_atomic_exchange_n, scoped_exchange)
LOCKSTEP_ATOMIC_WORDS(atomicMin, __scoped_atomic_fetch_min, scoped_min)
LOCKSTEP_ATOMIC(atomicMin, __scoped_atomic_fetch_min, scoped_min, long long)
LOCKSTEP_ATOMIC_WORDS(atomicMax, __scoped_atomic_fetch_max, scoped_max)
LOCKSTEP_ATOMIC(atomicMax, __scoped_atomic_fetch_max, scoped_max, long long)
LOCKSTEP_ATOMIC_WORDS(atomicAnd, __scoped_atomic_fetch_and, scoped_and)
LOCKSTEP_ATOMIC_WORDS(atomicOr, __scoped_atomic_fetch_or, scoped_or)
LOCKSTEP_ATOMIC_WORDS(atomicXor, __scoped_atomic_fetch_xor, scoped_xor)
#undef LOCKSTEP_ATOMIC_WORDS
#undef LOCKSTEP_ATOMIC

// Wrap to 0 at the operand, or from 0 to the operand.
LOCKSTEP_DEVICE unsigned int atomicInc(unsigned int* address, unsigned int operand) {
  return __nvvm_atom_inc_gen_ui(address, operand);
}
LOCKSTEP_DEVICE unsigned int atomicDec(unsigned int* address, unsigned int operand) {
  return __nvvm_atom_dec_gen_ui(address, operand);
}
LOCKSTEP_ATOMIC_SCOPES(atomicInc, scoped_increment, unsigned int)
LOCKSTEP_ATOMIC_SCOPES(atomicDec, scoped_decrement, unsigned int)

LOCKSTEP_DEVICE float atomicExch(float* address, float operand) {
  float old;
  __scoped_atomic_exchange(address, &operand, &old, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  return old;
}
LOCKSTEP_ATOMIC_SCOPES(atomicExch, scoped_exchange, float)
#undef LOCKSTEP_ATOMIC_SCOPES

#define LOCKSTEP_ATOMIC_SUB(suffix)                                                             \
  LOCKSTEP_DEVICE int atomicSub##suffix(int* address, int operand) {                            \
    return atomicAdd##suffix(address, static_cast<int>(0u - static_cast<unsigned>(operand)));   \
  }                                                                                             \
  LOCKSTEP_DEVICE unsigned int atomicSub##suffix(unsigned int* address, unsigned int operand) { \
    return atomicAdd##suffix(address, 0u - operand);                                            \
  }
LOCKSTEP_ATOMIC_SUB()
LOCKSTEP_ATOMIC_SUB(_block)
LOCKSTEP_ATOMIC_SUB(_system)
#undef LOCKSTEP_ATOMIC_SUB

// clang gives the device's form the scope of the whole system, which includes the device.
#define LOCKSTEP_ATOMIC_CAS(T)                                                               \
  LOCKSTEP_DEVICE T atomicCAS(T* address, T expected, T desired) {                           \
    __scoped_atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_RELAXED, \
                                       __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);             \
    return expected;                                                                         \
  }                                                                                          \
  LOCKSTEP_ATOMIC_CAS_SCOPES(T)
#define LOCKSTEP_ATOMIC_CAS_SCOPES(T)                                                      \
  LOCKSTEP_DEVICE T atomicCAS_block(T* address, T expected, T desired) {                   \
    return lockstep::scoped_compare(address, expected, desired, lockstep::Scope::kBlock);  \
  }                                                                                        \
  LOCKSTEP_DEVICE T atomicCAS_system(T* address, T expected, T desired) {                  \
    return lockstep::scoped_compare(address, expected, desired, lockstep::Scope::kSystem); \
  }
LOCKSTEP_ATOMIC_CAS(int)
LOCKSTEP_ATOMIC_CAS(unsigned int)
LOCKSTEP_ATOMIC_CAS(unsigned long long)
LOCKSTEP_ATOMIC_CAS_SCOPES(unsigned short)
LOCKSTEP_DEVICE unsigned short atomicCAS(unsigned short* address, unsigned short expected,
                                         unsigned short desired) {
  return lockstep::scoped_compare(address, expected, desired, lockstep::Scope::kDevice);
}
#undef LOCKSTEP_ATOMIC_CAS_SCOPES
#undef LOCKSTEP_ATOMIC_CAS

// One request, of global memory alone, that adds each component atomically by itself.
#define LOCKSTEP_ATOMIC_VECTORS(suffix, scope)                                                \
  LOCKSTEP_DEVICE float2 atomicAdd##suffix(float2* address, float2 operand) {                 \
    float2 old;                                                                               \
    asm volatile("atom." scope ".global.add.v2.f32 {%0, %1}, [%2], {%3, %4};"                 \
                 : "=f"(old.x), "=f"(old.y)                                                   \
                 : "l"(__cvta_generic_to_global(address)), "f"(operand.x), "f"(operand.y)     \
                 : "memory");                                                                 \
    return old;                                                                               \
  }                                                                                           \
  LOCKSTEP_DEVICE float4 atomicAdd##suffix(float4* address, float4 operand) {                 \
    float4 old;                                                                               \
    asm volatile("atom." scope ".global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};" \
                 : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w)                         \
                 : "l"(__cvta_generic_to_global(address)), "f"(operand.x), "f"(operand.y),    \
                   "f"(operand.z), "f"(operand.w)                                             \
                 : "memory");                                                                 \
    return old;                                                                               \
  }
LOCKSTEP_ATOMIC_VECTORS(, "gpu")
LOCKSTEP_ATOMIC_VECTORS(_block, "cta")
LOCKSTEP_ATOMIC_VECTORS(_system, "sys")
#undef LOCKSTEP_ATOMIC_VECTORS

#endif
