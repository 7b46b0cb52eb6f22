// SPDX-License-Identifier: MIT
// CUDA's atomic functions. Each returns the old value and comes in three scopes: atomicX for the
// device, atomicX_block, atomicX_system.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "simt/atomic_access.h"
#include "simt/keywords.h"
#include "simt/vector_types.h"

namespace simt {

template <class T, class... Types>
concept OneOf = (std::same_as<T, Types> || ...);

using ull = unsigned long long;
template <class T>
concept AtomicAddable = OneOf<T, int, unsigned, ull, float, double>;
template <class T>
concept AtomicSubtractable = OneOf<T, int, unsigned>;
template <class T>
concept AtomicExchangeable = OneOf<T, int, unsigned, ull, float>;
template <class T>
concept AtomicComparable = OneOf<T, int, unsigned, long long, ull>;
template <class T>
concept AtomicBits = OneOf<T, int, unsigned, ull>;
template <class T>
concept AtomicSwappable = OneOf<T, int, unsigned, ull, unsigned short>;
// half, half2 and the bfloat16 types: classes of 2 or 4 bytes with an addition.
template <class T>
concept AtomicHalf = std::is_class_v<T> && std::is_trivially_copyable_v<T> &&
                     (sizeof(T) == 2 || sizeof(T) == 4) &&
                     requires(T a) {
  { a + a } -> std::convertible_to<T>;
};

template <AtomicHalf T>
SIMT_INLINE T atomic_add_half(T* address, T operand, Scope scope) {
  using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
  constexpr auto add = [](Bits value, Bits other) {
    return std::bit_cast<Bits>(T(std::bit_cast<T>(value) + std::bit_cast<T>(other)));
  };
  return std::bit_cast<T>(atomic_update<Bits>(reinterpret_cast<Bits*>(address), +add,
                                              std::bit_cast<Bits>(operand),
                                              {MemoryOrder::relaxed, scope}));
}

template <AtomicSwappable T>
SIMT_INLINE T atomic_cas(T* address, T expected, T desired, Scope scope) {
  using Bits = std::make_unsigned_t<T>;
  return static_cast<T>(
      atomic_compare_exchange<Bits>(reinterpret_cast<Bits*>(address), static_cast<Bits>(expected),
                                    static_cast<Bits>(desired), {MemoryOrder::relaxed, scope}));
}

}  // namespace simt

// The operand's type is not deduced, so that atomicAdd(&an_unsigned, 1) converts the 1, as CUDA's
// overloads do.
#define SIMT_ATOMIC(name, Concept, operation, scope)                                 \
  template <simt::Concept T>                                                         \
  SIMT_INLINE T name(T* address, std::type_identity_t<T> operand) {                  \
    return simt::atomic_apply<T>(simt::AtomicOperation::operation, address, operand, \
                                 {simt::MemoryOrder::relaxed, simt::Scope::scope});  \
  }

// Adds each component atomically by itself, as on a device.
#define SIMT_ATOMIC_VECTORS(suffix)                                       \
  SIMT_INLINE float2 atomicAdd##suffix(float2* address, float2 operand) { \
    float2 old;                                                           \
    old.x = atomicAdd##suffix(&address->x, operand.x);                    \
    old.y = atomicAdd##suffix(&address->y, operand.y);                    \
    return old;                                                           \
  }                                                                       \
  SIMT_INLINE float4 atomicAdd##suffix(float4* address, float4 operand) { \
    float4 old;                                                           \
    old.x = atomicAdd##suffix(&address->x, operand.x);                    \
    old.y = atomicAdd##suffix(&address->y, operand.y);                    \
    old.z = atomicAdd##suffix(&address->z, operand.z);                    \
    old.w = atomicAdd##suffix(&address->w, operand.w);                    \
    return old;                                                           \
  }

#define SIMT_ATOMICS(suffix, scope)                                              \
  SIMT_ATOMIC(atomicAdd##suffix, AtomicAddable, kAdd, scope)                     \
  SIMT_ATOMIC(atomicSub##suffix, AtomicSubtractable, kSub, scope)                \
  SIMT_ATOMIC(atomicExch##suffix, AtomicExchangeable, kExchange, scope)          \
  SIMT_ATOMIC(atomicMin##suffix, AtomicComparable, kMin, scope)                  \
  SIMT_ATOMIC(atomicMax##suffix, AtomicComparable, kMax, scope)                  \
  SIMT_ATOMIC(atomicAnd##suffix, AtomicBits, kAnd, scope)                        \
  SIMT_ATOMIC(atomicOr##suffix, AtomicBits, kOr, scope)                          \
  SIMT_ATOMIC(atomicXor##suffix, AtomicBits, kXor, scope)                        \
  SIMT_ATOMIC(atomicInc##suffix, OneOf<unsigned>, kIncrement, scope)             \
  SIMT_ATOMIC(atomicDec##suffix, OneOf<unsigned>, kDecrement, scope)             \
  template <simt::AtomicHalf T>                                                  \
  SIMT_INLINE T atomicAdd##suffix(T* address, std::type_identity_t<T> operand) { \
    return simt::atomic_add_half<T>(address, operand, simt::Scope::scope);       \
  }                                                                              \
  template <simt::AtomicSwappable T>                                             \
  SIMT_INLINE T atomicCAS##suffix(T* address, std::type_identity_t<T> expected,  \
                                  std::type_identity_t<T> desired) {             \
    return simt::atomic_cas<T>(address, expected, desired, simt::Scope::scope);  \
  }                                                                              \
  SIMT_ATOMIC_VECTORS(suffix)

SIMT_ATOMICS(, kDevice)
SIMT_ATOMICS(_block, kBlock)
SIMT_ATOMICS(_system, kSystem)
#undef SIMT_ATOMICS
#undef SIMT_ATOMIC_VECTORS
#undef SIMT_ATOMIC
