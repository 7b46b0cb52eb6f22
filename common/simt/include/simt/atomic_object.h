// SPDX-License-Identifier: MIT
// The member functions of cuda::atomic and cuda::atomic_ref.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "simt/atomic_access.h"
#include "simt/keywords.h"

namespace simt {

template <std::size_t size_bytes>
struct UnsignedOfSize {
  static_assert(size_bytes == 0, "atomics are of types of 1, 2, 4 or 8 bytes");
};
template <>
struct UnsignedOfSize<1> {
  using Type = std::uint8_t;
};
template <>
struct UnsignedOfSize<2> {
  using Type = std::uint16_t;
};
template <>
struct UnsignedOfSize<4> {
  using Type = std::uint32_t;
};
template <>
struct UnsignedOfSize<8> {
  using Type = std::uint64_t;
};

// Atomic operations on *address. T: trivially copyable; arithmetic for the fetching operations, or
// a pointer for fetch_add and fetch_sub, which count in elements.
template <class T, Scope scope>
class AtomicOperations {
  using Bits = typename UnsignedOfSize<sizeof(T)>::Type;
  using Order = MemoryOrder;
  static constexpr Order kStrict = Order::seq_cst;
  using Difference = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;

 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = true;

  explicit AtomicOperations(T* address) : address_(address) {}

  SIMT_INLINE T load(Order order = kStrict) const {
    return std::bit_cast<T>(atomic_load<Bits>(bits(), {order, scope}));
  }
  SIMT_INLINE void store(T value, Order order = kStrict) const {
    atomic_store<Bits>(bits(), std::bit_cast<Bits>(value), {order, scope});
  }
  SIMT_INLINE T exchange(T value, Order order = kStrict) const {
    return std::bit_cast<T>(atomic_apply<Bits>(AtomicOperation::kExchange, bits(),
                                               std::bit_cast<Bits>(value), {order, scope}));
  }
  // Leaves the old value in `expected`; fails only if that differs.
  SIMT_INLINE bool compare_exchange_strong(T& expected, T desired, Order order = kStrict,
                                           Order /*failure*/ = kStrict) const {
    const Bits wanted = std::bit_cast<Bits>(expected);
    const Bits old =
        atomic_compare_exchange<Bits>(bits(), wanted, std::bit_cast<Bits>(desired), {order, scope});
    expected = std::bit_cast<T>(old);
    return old == wanted;
  }
  SIMT_INLINE bool compare_exchange_weak(T& expected, T desired, Order order = kStrict,
                                         Order /*failure*/ = kStrict) const {
    return compare_exchange_strong(expected, desired, order);
  }

  SIMT_INLINE T fetch_add(Difference operand, Order order = kStrict) const {
    if constexpr (std::is_pointer_v<T>) {
      const auto offset = static_cast<Bits>(operand) * sizeof(std::remove_pointer_t<T>);
      return std::bit_cast<T>(
          atomic_apply<Bits>(AtomicOperation::kAdd, bits(), offset, {order, scope}));
    } else {
      return apply(AtomicOperation::kAdd, operand, order);
    }
  }
  SIMT_INLINE T fetch_sub(Difference operand, Order order = kStrict) const {
    if constexpr (std::is_pointer_v<T>) {
      return fetch_add(-operand, order);
    } else {
      return apply(AtomicOperation::kSub, operand, order);
    }
  }
  SIMT_INLINE T fetch_and(T operand, Order order = kStrict) const {
    return apply(AtomicOperation::kAnd, operand, order);
  }
  SIMT_INLINE T fetch_or(T operand, Order order = kStrict) const {
    return apply(AtomicOperation::kOr, operand, order);
  }
  SIMT_INLINE T fetch_xor(T operand, Order order = kStrict) const {
    return apply(AtomicOperation::kXor, operand, order);
  }
  SIMT_INLINE T fetch_min(T operand, Order order = kStrict) const {
    return apply(AtomicOperation::kMin, operand, order);
  }
  SIMT_INLINE T fetch_max(T operand, Order order = kStrict) const {
    return apply(AtomicOperation::kMax, operand, order);
  }

  SIMT_INLINE operator T() const { return load(); }
  SIMT_INLINE T operator=(T value) const { return store(value), value; }
  SIMT_INLINE T operator+=(Difference operand) const { return fetch_add(operand) + operand; }
  SIMT_INLINE T operator-=(Difference operand) const { return fetch_sub(operand) - operand; }
  SIMT_INLINE T operator&=(T operand) const { return fetch_and(operand) & operand; }
  SIMT_INLINE T operator|=(T operand) const { return fetch_or(operand) | operand; }
  SIMT_INLINE T operator^=(T operand) const { return fetch_xor(operand) ^ operand; }
  SIMT_INLINE T operator++() const { return fetch_add(1) + 1; }
  SIMT_INLINE T operator++(int) const { return fetch_add(1); }
  SIMT_INLINE T operator--() const { return fetch_sub(1) - 1; }
  SIMT_INLINE T operator--(int) const { return fetch_sub(1); }

  // Returns when the value has changed from `old`.
  SIMT_INLINE void wait(T old, Order order = kStrict) const {
    while (std::bit_cast<Bits>(load(order)) == std::bit_cast<Bits>(old)) {
    }
  }
  void notify_one() const {}  // a waiting thread checks again anyway
  void notify_all() const {}
  bool is_lock_free() const { return true; }

 private:
  Bits* bits() const { return reinterpret_cast<Bits*>(address_); }
  SIMT_INLINE T apply(AtomicOperation operation, T operand, Order order) const {
    return atomic_apply<T>(operation, address_, operand, {order, scope});
  }

  T* address_;
};

}  // namespace simt
