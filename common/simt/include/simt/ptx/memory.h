// SPDX-License-Identifier: MIT
// What loads, stores, atomics and asynchronous copies of inline PTX become.
#pragma once

#include <cstdint>

#include "simt/address_space.h"
#include "simt/async_copy.h"
#include "simt/atomic_access.h"
#include "simt/ptx/register.h"

namespace simt::ptx {

template <class T>
SIMT_INLINE T* pointer(unsigned long long address, long long offset) {
  return reinterpret_cast<T*>(address + static_cast<unsigned long long>(offset));
}
template <class T>
SIMT_INLINE T* shared_pointer(unsigned long long address, long long offset) {
  return static_cast<T*>(
      __cvta_shared_to_generic(address + static_cast<unsigned long long>(offset)));
}
SIMT_INLINE unsigned long long to_shared(unsigned long long address) {
  return __cvta_generic_to_shared(reinterpret_cast<const void*>(address));
}
SIMT_INLINE unsigned long long from_shared(unsigned long long address) {
  return reinterpret_cast<std::uintptr_t>(__cvta_shared_to_generic(address));
}
SIMT_INLINE bool is_global(unsigned long long address) {
  return __isGlobal(reinterpret_cast<const void*>(address)) != 0;
}
SIMT_INLINE bool is_shared(unsigned long long address) {
  return __isShared(reinterpret_cast<const void*>(address)) != 0;
}
SIMT_INLINE bool is_local(unsigned long long address) {
  return __isLocal(reinterpret_cast<const void*>(address)) != 0;
}
SIMT_INLINE bool is_const(unsigned long long) { return false; }

template <class T>
SIMT_INLINE T atomic_load(const T* address, Ordering ordering) {
  using U = Bits<sizeof(T)>;
  return __builtin_bit_cast(T, simt::atomic_load<U>(reinterpret_cast<const U*>(address), ordering));
}
template <class T>
SIMT_INLINE void atomic_store(T* address, T value, Ordering ordering) {
  using U = Bits<sizeof(T)>;
  simt::atomic_store<U>(reinterpret_cast<U*>(address), __builtin_bit_cast(U, value), ordering);
}
template <class T>
SIMT_INLINE T compare_and_swap(T* address, T expected, T desired, Ordering ordering) {
  using U = Bits<sizeof(T)>;
  return __builtin_bit_cast(
      T, atomic_compare_exchange<U>(reinterpret_cast<U*>(address), __builtin_bit_cast(U, expected),
                                    __builtin_bit_cast(U, desired), ordering));
}

// Copies used_bytes, and zeros for the rest.
SIMT_INLINE void copy_async(void* to, const void* from, unsigned size_bytes, unsigned used_bytes) {
  check_copy(to, from, size_bytes, size_bytes - used_bytes);
  if (used_bytes == size_bytes) {
    copy_share<Arrival::kLater>(to, from, size_bytes);
    return;
  }
  for (unsigned i = 0; i < size_bytes; ++i) {
    static_cast<unsigned char*>(to)[i] =
        i < used_bytes ? static_cast<const unsigned char*>(from)[i] : static_cast<unsigned char>(0);
  }
  begin_copy(to, size_bytes);
}

}  // namespace simt::ptx
