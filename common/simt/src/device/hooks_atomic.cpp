// SPDX-License-Identifier: MIT
// The calls that -fsanitize=thread makes of the compiler's atomic operations (std::atomic and the
// __atomic builtins). Memory orders need no attention: see fence.cpp.
#include <cstdint>

#include "atomic_core.h"
#include "simt/sync.h"

namespace {

using simt::device::read_modify_write;

__extension__ using Bits128 = unsigned __int128;

// Returns what the compiler's strong compare-exchange does, and leaves the old value in *expected.
template <class T>
bool compare_exchange(T* address, T* expected, T desired, const void* pc) {
  const T wanted = *expected;
  *expected =
      read_modify_write(address, pc, true, [=](T old) { return old == wanted ? desired : old; });
  return *expected == wanted;
}

template <class T>
T* plain(volatile T* address) {
  return const_cast<T*>(address);
}

}  // namespace

#define SIMT_PC __builtin_return_address(0)

#define SIMT_FETCH_HOOK(bits, T, name, expression)                               \
  T __tsan_atomic##bits##_##name(volatile T* p, T operand, int) {                \
    return read_modify_write(plain(p), SIMT_PC, true,                            \
                             [=](T old) { return static_cast<T>(expression); }); \
  }

#define SIMT_ATOMIC_HOOKS(bits, T)                                                               \
  T __tsan_atomic##bits##_load(const volatile T* p, int) {                                       \
    return simt::device::load(const_cast<const T*>(p), SIMT_PC);                                 \
  }                                                                                              \
  void __tsan_atomic##bits##_store(volatile T* p, T value, int) {                                \
    simt::device::store(plain(p), value, SIMT_PC);                                               \
  }                                                                                              \
  SIMT_FETCH_HOOK(bits, T, exchange, (static_cast<void>(old), operand))                          \
  SIMT_FETCH_HOOK(bits, T, fetch_add, old + operand)                                             \
  SIMT_FETCH_HOOK(bits, T, fetch_sub, old - operand)                                             \
  SIMT_FETCH_HOOK(bits, T, fetch_and, old& operand)                                              \
  SIMT_FETCH_HOOK(bits, T, fetch_or, old | operand)                                              \
  SIMT_FETCH_HOOK(bits, T, fetch_xor, old ^ operand)                                             \
  SIMT_FETCH_HOOK(bits, T, fetch_nand, ~(old & operand))                                         \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* expected, T desired, int,  \
                                                    int) {                                       \
    return compare_exchange(plain(p), expected, desired, SIMT_PC);                               \
  }                                                                                              \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* expected, T desired, int,    \
                                                  int) {                                         \
    return compare_exchange(plain(p), expected, desired, SIMT_PC);                               \
  }                                                                                              \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T expected, T desired, int, int) { \
    compare_exchange(plain(p), &expected, desired, SIMT_PC);                                     \
    return expected;                                                                             \
  }

extern "C" {

SIMT_ATOMIC_HOOKS(8, std::uint8_t)
SIMT_ATOMIC_HOOKS(16, std::uint16_t)
SIMT_ATOMIC_HOOKS(32, std::uint32_t)
SIMT_ATOMIC_HOOKS(64, std::uint64_t)
SIMT_ATOMIC_HOOKS(128, Bits128)

void __tsan_atomic_thread_fence(int) { __threadfence(); }
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"
