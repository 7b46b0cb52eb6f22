// SPDX-License-Identifier: MIT
// Numbers as unsigned numbers in the same order, which radix sorts and selections work on.
#pragma once

#include <cuda_runtime.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace cub {
namespace detail {

template <std::size_t kBytes>
using UnsignedOf = std::conditional_t<
    kBytes == 1, std::uint8_t,
    std::conditional_t<kBytes == 2, std::uint16_t,
                       std::conditional_t<kBytes == 4, std::uint32_t, std::uint64_t>>>;

}  // namespace detail

enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };

template <class T>
struct Traits {
  using UnsignedBits = detail::UnsignedOf<sizeof(T)>;

  static constexpr bool PRIMITIVE = std::is_arithmetic_v<T>;
  static constexpr Category CATEGORY = std::is_floating_point_v<T> ? FLOATING_POINT
                                       : !std::is_integral_v<T>    ? NOT_A_NUMBER
                                       : std::is_signed_v<T>       ? SIGNED_INTEGER
                                                                   : UNSIGNED_INTEGER;

  static SIMT_INLINE UnsignedBits TwiddleIn(UnsignedBits bits) {
    if constexpr (CATEGORY == UNSIGNED_INTEGER) return bits;
    if constexpr (CATEGORY == SIGNED_INTEGER) return UnsignedBits(bits ^ kSign);
    return (bits & kSign) != 0 ? UnsignedBits(~bits) : UnsignedBits(bits ^ kSign);
  }
  static SIMT_INLINE UnsignedBits TwiddleOut(UnsignedBits bits) {
    if constexpr (CATEGORY == UNSIGNED_INTEGER) return bits;
    if constexpr (CATEGORY == SIGNED_INTEGER) return UnsignedBits(bits ^ kSign);
    return (bits & kSign) != 0 ? UnsignedBits(bits ^ kSign) : UnsignedBits(~bits);
  }
  static SIMT_INLINE T Max() { return std::numeric_limits<T>::max(); }
  static SIMT_INLINE T Lowest() { return std::numeric_limits<T>::lowest(); }

 private:
  static constexpr auto kSign = UnsignedBits(UnsignedBits(1) << (sizeof(T) * CHAR_BIT - 1));
};

}  // namespace cub
