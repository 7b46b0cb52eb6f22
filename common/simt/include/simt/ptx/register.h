// SPDX-License-Identifier: MIT
// The registers of inline PTX, and the types that its instructions name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "simt/builtins.h"
#include "simt/float16.h"
#include "simt/float16x2.h"
#include "simt/limits.h"

namespace simt::ptx {

using Half = Float16<HalfFormat>;
using Half2 = Float16x2<HalfFormat>;
using Bfloat = Float16<BfloatFormat>;
using Bfloat2 = Float16x2<BfloatFormat>;

int multiprocessor_id();
SIMT_INLINE unsigned warp_id() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / kWarpSize;
}

template <std::size_t size_bytes>
using Bits = std::conditional_t<
    size_bytes == 1, std::uint8_t,
    std::conditional_t<size_bytes == 2, std::uint16_t,
                       std::conditional_t<size_bytes == 4, std::uint32_t, std::uint64_t>>>;

// A register of any type: up to 64 bits.
struct Register {
  std::uint64_t bits;

  template <class T>
  SIMT_INLINE T get() const {
    if constexpr (std::is_same_v<T, bool>) {
      return bits != 0;
    } else {
      return __builtin_bit_cast(T, static_cast<Bits<sizeof(T)>>(bits));
    }
  }
  template <class T>
  SIMT_INLINE void set(std::type_identity_t<T> value) {
    bits = __builtin_bit_cast(Bits<sizeof(T)>, value);
  }

  // An operand of the constraint whose registers have the type T.
  template <class T, class Value>
  SIMT_INLINE void take(const Value& value) {
    if constexpr (std::is_pointer_v<std::decay_t<const Value>>) {
      const std::decay_t<const Value> pointer = value;
      bits = reinterpret_cast<std::uintptr_t>(pointer);
    } else if constexpr (std::is_class_v<Value> || std::is_enum_v<Value>) {
      bits = __builtin_bit_cast(Bits<sizeof(Value)>, value);
    } else {
      set<T>(static_cast<T>(value));
    }
  }
  template <class T>
  SIMT_INLINE void give(T& destination) const {
    destination = get<std::remove_cv_t<T>>();
  }
};

template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
using Wide =
    std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int, unsigned>,
                       std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>>;
// One of `count` parts of an integer.
template <class T, int count>
using Part = Bits<sizeof(T) / count>;

template <class T, int count>
struct alignas(sizeof(T) * count) Vector {
  T x[count];
};

}  // namespace simt::ptx
