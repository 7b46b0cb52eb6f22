// SPDX-License-Identifier: MIT
// The compiler's own atomic functions, which CUDA 12.8 added: like GCC's __atomic ones, with a
// scope. On a device T has 1 to 16 bytes; here up to 8.
#pragma once

#include <cstdint>
#include <type_traits>

#include "simt/atomic_access.h"
#include "simt/keywords.h"

enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST,
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM,
};

namespace simt {

// A cluster has one block.
SIMT_INLINE Ordering ordering_of(int order, int scope) {
  const Scope scopes[] = {Scope::kThread, Scope::kBlock, Scope::kBlock, Scope::kDevice,
                          Scope::kSystem};
  return {static_cast<MemoryOrder>(order), scopes[scope]};
}

template <std::size_t size_bytes>
using AtomicBits_t = std::conditional_t<
    size_bytes == 1, unsigned char,
    std::conditional_t<size_bytes == 2, unsigned short,
                       std::conditional_t<size_bytes == 4, unsigned, unsigned long long>>>;

template <class T>
struct NvAtomic {
  static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                "the emulator's __nv_atomic functions take types of 1, 2, 4 or 8 bytes");
  using Bits = AtomicBits_t<sizeof(T)>;

  static SIMT_INLINE T load(const T* address, Ordering ordering) {
    return __builtin_bit_cast(T,
                              atomic_load<Bits>(reinterpret_cast<const Bits*>(address), ordering));
  }
  static SIMT_INLINE void store(T* address, T value, Ordering ordering) {
    atomic_store<Bits>(reinterpret_cast<Bits*>(address), __builtin_bit_cast(Bits, value), ordering);
  }
  static SIMT_INLINE T exchange(T* address, T value, Ordering ordering) {
    return __builtin_bit_cast(
        T, atomic_apply<Bits>(AtomicOperation::kExchange, reinterpret_cast<Bits*>(address),
                              __builtin_bit_cast(Bits, value), ordering));
  }
  static SIMT_INLINE bool compare_exchange(T* address, T* expected, T desired, Ordering ordering) {
    const Bits wanted = __builtin_bit_cast(Bits, *expected);
    const Bits old = atomic_compare_exchange<Bits>(reinterpret_cast<Bits*>(address), wanted,
                                                   __builtin_bit_cast(Bits, desired), ordering);
    if (old == wanted) return true;
    *expected = __builtin_bit_cast(T, old);
    return false;
  }
};

}  // namespace simt

template <class T>
SIMT_INLINE T __nv_atomic_load_n(const T* address, int order,
                                 int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return simt::NvAtomic<T>::load(address, simt::ordering_of(order, scope));
}
template <class T>
SIMT_INLINE void __nv_atomic_load(const T* address, T* value, int order,
                                  int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *value = __nv_atomic_load_n(address, order, scope);
}
template <class T>
SIMT_INLINE void __nv_atomic_store_n(T* address, std::type_identity_t<T> value, int order,
                                     int scope = __NV_THREAD_SCOPE_SYSTEM) {
  simt::NvAtomic<T>::store(address, value, simt::ordering_of(order, scope));
}
template <class T>
SIMT_INLINE void __nv_atomic_store(T* address, const T* value, int order,
                                   int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __nv_atomic_store_n(address, *value, order, scope);
}
template <class T>
SIMT_INLINE T __nv_atomic_exchange_n(T* address, std::type_identity_t<T> value, int order,
                                     int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return simt::NvAtomic<T>::exchange(address, value, simt::ordering_of(order, scope));
}
template <class T>
SIMT_INLINE void __nv_atomic_exchange(T* address, const T* value, T* old, int order,
                                      int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *old = __nv_atomic_exchange_n(address, *value, order, scope);
}
template <class T>
SIMT_INLINE bool __nv_atomic_compare_exchange_n(T* address, T* expected,
                                                std::type_identity_t<T> desired, bool /*weak*/,
                                                int success_order, int /*failure_order*/,
                                                int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return simt::NvAtomic<T>::compare_exchange(address, expected, desired,
                                             simt::ordering_of(success_order, scope));
}
template <class T>
SIMT_INLINE bool __nv_atomic_compare_exchange(T* address, T* expected, T* desired, bool weak,
                                              int success_order, int failure_order,
                                              int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_compare_exchange_n(address, expected, *desired, weak, success_order,
                                        failure_order, scope);
}

#define SIMT_NV_ATOMIC(name, operation)                                                        \
  template <class T>                                                                           \
  SIMT_INLINE T __nv_atomic_fetch_##name(T* address, std::type_identity_t<T> value, int order, \
                                         int scope = __NV_THREAD_SCOPE_SYSTEM) {               \
    return simt::atomic_apply<T>(simt::AtomicOperation::operation, address, value,             \
                                 simt::ordering_of(order, scope));                             \
  }                                                                                            \
  template <class T>                                                                           \
  SIMT_INLINE void __nv_atomic_##name(T* address, std::type_identity_t<T> value, int order,    \
                                      int scope = __NV_THREAD_SCOPE_SYSTEM) {                  \
    __nv_atomic_fetch_##name(address, value, order, scope);                                    \
  }
SIMT_NV_ATOMIC(add, kAdd)
SIMT_NV_ATOMIC(sub, kSub)
SIMT_NV_ATOMIC(and, kAnd)
SIMT_NV_ATOMIC(or, kOr)
SIMT_NV_ATOMIC(xor, kXor)
SIMT_NV_ATOMIC(min, kMin)
SIMT_NV_ATOMIC(max, kMax)
#undef SIMT_NV_ATOMIC

SIMT_INLINE void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  simt::atomic_fence(simt::ordering_of(order, scope));
}
