// SPDX-License-Identifier: MIT
// The compiler's own atomic functions, which CUDA 12.8 added: like GCC's __atomic ones, with a
// scope. A device has them for 1 to 16 bytes; here loads and stores take 2, 4 or 8 bytes, and the
// others 4 or 8.
#pragma once

#include <type_traits>

#include "lockstep/cache_hints.h"
#include "lockstep/keywords.h"
#include "lockstep/scoped_atomic.h"

#ifdef __CUDA__

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

namespace lockstep {

LOCKSTEP_DEVICE Scope scope_of(int scope) {
  return scope <= __NV_THREAD_SCOPE_BLOCK     ? Scope::kBlock
         : scope == __NV_THREAD_SCOPE_CLUSTER ? Scope::kCluster
         : scope == __NV_THREAD_SCOPE_DEVICE  ? Scope::kDevice
                                              : Scope::kSystem;
}
// An order, as fences around a relaxed operation.
LOCKSTEP_DEVICE void fence_before(int order, int scope) {
  if (order >= __NV_ATOMIC_RELEASE) scoped_fence(order == __NV_ATOMIC_SEQ_CST, scope_of(scope));
}
LOCKSTEP_DEVICE void fence_after(int order, int scope) {
  if (order != __NV_ATOMIC_RELAXED && order != __NV_ATOMIC_RELEASE) {
    scoped_fence(false, scope_of(scope));
  }
}

template <class T>
using AtomicBits =
    std::conditional_t<sizeof(T) == 2, unsigned short,
                       std::conditional_t<sizeof(T) == 4, unsigned int, unsigned long long>>;

}  // namespace lockstep

template <class T>
LOCKSTEP_DEVICE T __nv_atomic_load_n(const T* address, int order,
                                     int scope = __NV_THREAD_SCOPE_SYSTEM) {
  using Bits = lockstep::AtomicBits<T>;
  if (order == __NV_ATOMIC_SEQ_CST) lockstep::fence_before(order, scope);
  const Bits bits =
      lockstep::scoped_load(reinterpret_cast<const Bits*>(address), lockstep::scope_of(scope));
  lockstep::fence_after(order, scope);
  return __builtin_bit_cast(T, bits);
}
template <class T>
LOCKSTEP_DEVICE void __nv_atomic_load(const T* address, T* value, int order,
                                      int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *value = __nv_atomic_load_n(address, order, scope);
}
template <class T>
LOCKSTEP_DEVICE void __nv_atomic_store_n(T* address, lockstep::Given<T> value, int order,
                                         int scope = __NV_THREAD_SCOPE_SYSTEM) {
  using Bits = lockstep::AtomicBits<T>;
  lockstep::fence_before(order, scope);
  lockstep::scoped_store(reinterpret_cast<Bits*>(address), __builtin_bit_cast(Bits, value),
                         lockstep::scope_of(scope));
}
template <class T>
LOCKSTEP_DEVICE void __nv_atomic_store(T* address, const T* value, int order,
                                       int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __nv_atomic_store_n(address, *value, order, scope);
}
template <class T>
LOCKSTEP_DEVICE T __nv_atomic_exchange_n(T* address, lockstep::Given<T> value, int order,
                                         int scope = __NV_THREAD_SCOPE_SYSTEM) {
  using Bits = lockstep::AtomicBits<T>;
  lockstep::fence_before(order, scope);
  const Bits old = lockstep::scoped_exchange(
      reinterpret_cast<Bits*>(address), __builtin_bit_cast(Bits, value), lockstep::scope_of(scope));
  lockstep::fence_after(order, scope);
  return __builtin_bit_cast(T, old);
}
template <class T>
LOCKSTEP_DEVICE void __nv_atomic_exchange(T* address, const T* value, T* old, int order,
                                          int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *old = __nv_atomic_exchange_n(address, *value, order, scope);
}
template <class T>
LOCKSTEP_DEVICE bool __nv_atomic_compare_exchange_n(T* address, T* expected,
                                                    lockstep::Given<T> desired, bool /*weak*/,
                                                    int success_order, int /*failure_order*/,
                                                    int scope = __NV_THREAD_SCOPE_SYSTEM) {
  using Bits = lockstep::AtomicBits<T>;
  const Bits wanted = __builtin_bit_cast(Bits, *expected);
  lockstep::fence_before(success_order, scope);
  const Bits old =
      lockstep::scoped_compare(reinterpret_cast<Bits*>(address), wanted,
                               __builtin_bit_cast(Bits, desired), lockstep::scope_of(scope));
  lockstep::fence_after(success_order, scope);
  if (old == wanted) return true;
  *expected = __builtin_bit_cast(T, old);
  return false;
}
template <class T>
LOCKSTEP_DEVICE bool __nv_atomic_compare_exchange(T* address, T* expected, T* desired, bool weak,
                                                  int success_order, int failure_order,
                                                  int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_compare_exchange_n(address, expected, *desired, weak, success_order,
                                        failure_order, scope);
}

#define LOCKSTEP_NV_ATOMIC(name, scoped, argument)                                                \
  template <class T>                                                                              \
  LOCKSTEP_DEVICE T __nv_atomic_fetch_##name(T* address, lockstep::Given<T> value, int order,     \
                                             int scope = __NV_THREAD_SCOPE_SYSTEM) {              \
    lockstep::fence_before(order, scope);                                                         \
    const T old = lockstep::scoped(address, static_cast<T>(argument), lockstep::scope_of(scope)); \
    lockstep::fence_after(order, scope);                                                          \
    return old;                                                                                   \
  }                                                                                               \
  template <class T>                                                                              \
  LOCKSTEP_DEVICE void __nv_atomic_##name(T* address, lockstep::Given<T> value, int order,        \
                                          int scope = __NV_THREAD_SCOPE_SYSTEM) {                 \
    __nv_atomic_fetch_##name(address, value, order, scope);                                       \
  }
LOCKSTEP_NV_ATOMIC(add, scoped_add, value)
LOCKSTEP_NV_ATOMIC(sub, scoped_add, 0 - value)
LOCKSTEP_NV_ATOMIC(and, scoped_and, value)
LOCKSTEP_NV_ATOMIC(or, scoped_or, value)
LOCKSTEP_NV_ATOMIC(xor, scoped_xor, value)
LOCKSTEP_NV_ATOMIC(min, scoped_min, value)
LOCKSTEP_NV_ATOMIC(max, scoped_max, value)
#undef LOCKSTEP_NV_ATOMIC

LOCKSTEP_DEVICE void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  if (order == __NV_ATOMIC_RELAXED) return;
  lockstep::scoped_fence(order == __NV_ATOMIC_SEQ_CST, lockstep::scope_of(scope));
}

#endif
