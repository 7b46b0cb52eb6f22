// SPDX-License-Identifier: MIT
// Atomic operations as PTX has them, with a scope. clang's own functions drop scopes and orders for
// this target, so these are assembly; they return the old value and are relaxed.
#pragma once

#include "lockstep/keywords.h"

#ifdef __CUDA__

namespace lockstep {

enum class Scope { kBlock, kCluster, kDevice, kSystem };

// The letter of a register's constraint: r and l for 32 and 64 bits, f and d for float and double.
#define LOCKSTEP_ATOM(name, T, letter, operation)               \
  LOCKSTEP_DEVICE T name(T* address, T operand, Scope scope) {  \
    T old = operand;                                            \
    switch (scope) {                                            \
      case Scope::kBlock:                                       \
        LOCKSTEP_ATOM_TEXT("cta", operation, letter) break;     \
      case Scope::kCluster:                                     \
        LOCKSTEP_ATOM_TEXT("cluster", operation, letter) break; \
      case Scope::kDevice:                                      \
        LOCKSTEP_ATOM_TEXT("gpu", operation, letter) break;     \
      case Scope::kSystem:                                      \
        LOCKSTEP_ATOM_TEXT("sys", operation, letter) break;     \
    }                                                           \
    return old;                                                 \
  }
#define LOCKSTEP_ATOM_TEXT(scope_name, operation, letter)                    \
  __asm__ volatile("atom.relaxed." scope_name "." operation " %0, [%1], %2;" \
                   : "=" letter(old)                                         \
                   : "l"(address), letter(operand)                           \
                   : "memory");

#define LOCKSTEP_ATOM_WORDS(name, operation, of_signed, of_unsigned)       \
  LOCKSTEP_ATOM(name, int, "r", operation of_signed "32")                  \
  LOCKSTEP_ATOM(name, unsigned int, "r", operation of_unsigned "32")       \
  LOCKSTEP_ATOM(name, long long, "l", operation of_signed "64")            \
  LOCKSTEP_ATOM(name, unsigned long long, "l", operation of_unsigned "64") \
  LOCKSTEP_ATOM(name, long, "l", operation of_signed "64")                 \
  LOCKSTEP_ATOM(name, unsigned long, "l", operation of_unsigned "64")
LOCKSTEP_ATOM_WORDS(scoped_add, "add", ".u", ".u")
LOCKSTEP_ATOM(scoped_add, float, "f", "add.f32")
LOCKSTEP_ATOM(scoped_add, double, "d", "add.f64")
LOCKSTEP_ATOM_WORDS(scoped_min, "min", ".s", ".u")
LOCKSTEP_ATOM_WORDS(scoped_max, "max", ".s", ".u")
LOCKSTEP_ATOM_WORDS(scoped_and, "and", ".b", ".b")
LOCKSTEP_ATOM_WORDS(scoped_or, "or", ".b", ".b")
LOCKSTEP_ATOM_WORDS(scoped_xor, "xor", ".b", ".b")
LOCKSTEP_ATOM_WORDS(scoped_exchange, "exch", ".b", ".b")
LOCKSTEP_ATOM(scoped_exchange, float, "f", "exch.b32")
LOCKSTEP_ATOM(scoped_exchange, double, "d", "exch.b64")
LOCKSTEP_ATOM(scoped_increment, unsigned int, "r", "inc.u32")
LOCKSTEP_ATOM(scoped_decrement, unsigned int, "r", "dec.u32")
#undef LOCKSTEP_ATOM_WORDS
#undef LOCKSTEP_ATOM_TEXT
#undef LOCKSTEP_ATOM

#define LOCKSTEP_COMPARE(T, letter, type)                                            \
  LOCKSTEP_DEVICE T scoped_compare(T* address, T expected, T desired, Scope scope) { \
    T old = desired;                                                                 \
    switch (scope) {                                                                 \
      case Scope::kBlock:                                                            \
        LOCKSTEP_COMPARE_TEXT("cta", letter, type) break;                            \
      case Scope::kCluster:                                                          \
        LOCKSTEP_COMPARE_TEXT("cluster", letter, type) break;                        \
      case Scope::kDevice:                                                           \
        LOCKSTEP_COMPARE_TEXT("gpu", letter, type) break;                            \
      case Scope::kSystem:                                                           \
        LOCKSTEP_COMPARE_TEXT("sys", letter, type) break;                            \
    }                                                                                \
    return old;                                                                      \
  }
#define LOCKSTEP_COMPARE_TEXT(scope_name, letter, type)                         \
  __asm__ volatile("atom.relaxed." scope_name ".cas." type " %0, [%1], %2, %3;" \
                   : "=" letter(old)                                            \
                   : "l"(address), letter(expected), letter(desired)            \
                   : "memory");
LOCKSTEP_COMPARE(unsigned short, "h", "b16")
LOCKSTEP_COMPARE(int, "r", "b32")
LOCKSTEP_COMPARE(unsigned int, "r", "b32")
LOCKSTEP_COMPARE(unsigned long long, "l", "b64")
#undef LOCKSTEP_COMPARE_TEXT
#undef LOCKSTEP_COMPARE

// Loads and stores that other threads may see at any time.
#define LOCKSTEP_LOAD(T, letter, type)                                  \
  LOCKSTEP_DEVICE T scoped_load(const T* address, Scope scope) {        \
    T value = 0;                                                        \
    switch (scope) {                                                    \
      case Scope::kBlock:                                               \
        LOCKSTEP_LOAD_TEXT("cta", letter, type) break;                  \
      case Scope::kCluster:                                             \
        LOCKSTEP_LOAD_TEXT("cluster", letter, type) break;              \
      case Scope::kDevice:                                              \
        LOCKSTEP_LOAD_TEXT("gpu", letter, type) break;                  \
      case Scope::kSystem:                                              \
        LOCKSTEP_LOAD_TEXT("sys", letter, type) break;                  \
    }                                                                   \
    return value;                                                       \
  }                                                                     \
  LOCKSTEP_DEVICE void scoped_store(T* address, T value, Scope scope) { \
    switch (scope) {                                                    \
      case Scope::kBlock:                                               \
        LOCKSTEP_STORE_TEXT("cta", letter, type) break;                 \
      case Scope::kCluster:                                             \
        LOCKSTEP_STORE_TEXT("cluster", letter, type) break;             \
      case Scope::kDevice:                                              \
        LOCKSTEP_STORE_TEXT("gpu", letter, type) break;                 \
      case Scope::kSystem:                                              \
        LOCKSTEP_STORE_TEXT("sys", letter, type) break;                 \
    }                                                                   \
  }
#define LOCKSTEP_LOAD_TEXT(scope_name, letter, type)              \
  __asm__ volatile("ld.relaxed." scope_name "." type " %0, [%1];" \
                   : "=" letter(value)                            \
                   : "l"(address)                                 \
                   : "memory");
#define LOCKSTEP_STORE_TEXT(scope_name, letter, type)                                           \
  __asm__ volatile("st.relaxed." scope_name "." type " [%0], %1;" ::"l"(address), letter(value) \
                   : "memory");
LOCKSTEP_LOAD(unsigned short, "h", "b16")
LOCKSTEP_LOAD(unsigned int, "r", "b32")
LOCKSTEP_LOAD(unsigned long long, "l", "b64")
#undef LOCKSTEP_STORE_TEXT
#undef LOCKSTEP_LOAD_TEXT
#undef LOCKSTEP_LOAD

// Orders this thread's accesses for the threads of the scope; strictly: in one order that all see.
LOCKSTEP_DEVICE void scoped_fence(bool is_strict, Scope scope) {
#define LOCKSTEP_FENCE(scope_name)                                  \
  if (is_strict) {                                                  \
    __asm__ volatile("fence.sc." scope_name ";" ::: "memory");      \
  } else {                                                          \
    __asm__ volatile("fence.acq_rel." scope_name ";" ::: "memory"); \
  }
  switch (scope) {
    case Scope::kBlock:
      LOCKSTEP_FENCE("cta") break;
    case Scope::kCluster:
      LOCKSTEP_FENCE("cluster") break;
    case Scope::kDevice:
      LOCKSTEP_FENCE("gpu") break;
    case Scope::kSystem:
      LOCKSTEP_FENCE("sys") break;
  }
#undef LOCKSTEP_FENCE
}

}  // namespace lockstep

#endif
