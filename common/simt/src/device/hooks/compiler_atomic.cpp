// SPDX-License-Identifier: MIT
// The calls that -fsanitize=thread makes of the compiler's atomic operations (std::atomic and the
// __atomic builtins). Memory orders matter to the checkers only.
#include <cstdint>

#include "hooks/atomic_core.h"
#include "simt/sync.h"

namespace {

using simt::device::Place;
using simt::device::read_modify_write;

__extension__ using Bits128 = unsigned __int128;

// `order` is a constant of __ATOMIC_RELAXED's kind, whose order is MemoryOrder's. The scope
// is the whole system.
void note_order(int order) {
  simt::device::note_order(static_cast<simt::MemoryOrder>(order), true);
}

// Returns what the compiler's strong compare-exchange does, and leaves the old value in *expected.
template <class T>
bool compare_exchange(T* address, T* expected, T desired, int order, Place place) {
  note_order(order);
  const T wanted = *expected;
  *expected =
      read_modify_write(address, place, true, [=](T old) { return old == wanted ? desired : old; });
  return *expected == wanted;
}

template <class T>
T* plain(volatile T* address) {
  return const_cast<T*>(address);
}

}  // namespace

#define SIMT_FETCH_HOOK(bits, T, name, reads, expression)                                      \
  T __tsan_atomic##bits##_##name(volatile T* p, T operand, int order) {                        \
    note_order(order);                                                                         \
    return read_modify_write(                                                                  \
        plain(p), SIMT_PLACE, true, [=](T old) { return static_cast<T>(expression); }, reads); \
  }

#define SIMT_ATOMIC_HOOKS(bits, T)                                                              \
  T __tsan_atomic##bits##_load(const volatile T* p, int) {                                      \
    return simt::device::load(const_cast<const T*>(p), SIMT_PLACE);                             \
  }                                                                                             \
  void __tsan_atomic##bits##_store(volatile T* p, T value, int order) {                         \
    note_order(order);                                                                          \
    simt::device::store(plain(p), value, SIMT_PLACE);                                           \
  }                                                                                             \
  SIMT_FETCH_HOOK(bits, T, exchange, false, (static_cast<void>(old), operand))                  \
  SIMT_FETCH_HOOK(bits, T, fetch_add, true, old + operand)                                      \
  SIMT_FETCH_HOOK(bits, T, fetch_sub, true, old - operand)                                      \
  SIMT_FETCH_HOOK(bits, T, fetch_and, true, old& operand)                                       \
  SIMT_FETCH_HOOK(bits, T, fetch_or, true, old | operand)                                       \
  SIMT_FETCH_HOOK(bits, T, fetch_xor, true, old ^ operand)                                      \
  SIMT_FETCH_HOOK(bits, T, fetch_nand, true, ~(old & operand))                                  \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* expected, T desired,      \
                                                    int order, int) {                           \
    return compare_exchange(plain(p), expected, desired, order, SIMT_PLACE);                    \
  }                                                                                             \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* expected, T desired,        \
                                                  int order, int) {                             \
    return compare_exchange(plain(p), expected, desired, order, SIMT_PLACE);                    \
  }                                                                                             \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T expected, T desired, int order, \
                                               int) {                                           \
    compare_exchange(plain(p), &expected, desired, order, SIMT_PLACE);                          \
    return expected;                                                                            \
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
