// SPDX-License-Identifier: MIT
// 8-bit floating-point numbers: E4M3 and E5M2, and two or four of them in one word. They have no
// arithmetic: programs convert them. Conversions round to nearest even.
#pragma once

#include <cstdint>
#include <type_traits>

#include "simt/float16.h"
#include "simt/float16x2.h"
#include "simt/keywords.h"
#include "simt/vector_types.h"

namespace simt {

// kLargest: the bits of the largest finite number. kOverflow: those of what is too large, if it is
// not to be the largest finite number. E4M3 has no infinity.
struct E4m3Format {
  static constexpr int kExponentBits = 4;
  static constexpr int kFractionBits = 3;
  static constexpr unsigned kLargest = 0x7e;
  static constexpr unsigned kOverflow = 0x7f;
};
struct E5m2Format {
  static constexpr int kExponentBits = 5;
  static constexpr int kFractionBits = 2;
  static constexpr unsigned kLargest = 0x7b;
  static constexpr unsigned kOverflow = 0x7c;
};

template <class Format>
std::uint8_t encode_float8(double value, bool saturates);
template <class Format>
float decode_float8(std::uint8_t bits);

#define SIMT_FORMAT(Format)                                         \
  extern template std::uint8_t encode_float8<Format>(double, bool); \
  extern template float decode_float8<Format>(std::uint8_t);
SIMT_FORMAT(E4m3Format)
SIMT_FORMAT(E5m2Format)
#undef SIMT_FORMAT

// Its constructors saturate: what is too large becomes the largest finite number.
template <class Format>
struct Float8 {
  unsigned char __x;

  Float8() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number> SIMT_INLINE explicit Float8(Number value)
      : __x(encode_float8<Format>(static_cast<double>(value), true)) {}
  template <class Wide>
  SIMT_INLINE explicit Float8(Float16<Wide> value) : Float8(static_cast<float>(value)) {}

  SIMT_INLINE explicit operator float() const { return decode_float8<Format>(__x); }
  SIMT_INLINE explicit operator double() const { return decode_float8<Format>(__x); }
  SIMT_INLINE explicit operator bool() const { return (__x & 0x7f) != 0; }
  template <class Wide>
  SIMT_INLINE explicit operator Float16<Wide>() const {
    return decode_float8<Format>(__x);
  }
  template <class Integer>
  requires(std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>) SIMT_INLINE explicit
  operator Integer() const {
    return static_cast<Integer>(decode_float8<Format>(__x));
  }
};

// x in the lowest byte.
template <class Format>
struct Float8x2 {
  unsigned short __x;

  Float8x2() = default;
  SIMT_INLINE Float8x2(Float8<Format> x, Float8<Format> y)
      : __x(static_cast<unsigned short>(x.__x | y.__x << 8)) {}
  SIMT_INLINE explicit Float8x2(float2 v) : Float8x2(Float8<Format>(v.x), Float8<Format>(v.y)) {}
  SIMT_INLINE explicit Float8x2(double2 v) : Float8x2(Float8<Format>(v.x), Float8<Format>(v.y)) {}
  template <class Wide>
  SIMT_INLINE explicit Float8x2(Float16x2<Wide> v)
      : Float8x2(Float8<Format>(v.x), Float8<Format>(v.y)) {}

  SIMT_INLINE float component(int i) const {
    return decode_float8<Format>(static_cast<std::uint8_t>(__x >> 8 * i));
  }
  SIMT_INLINE explicit operator float2() const { return {component(0), component(1)}; }
  template <class Wide>
  SIMT_INLINE explicit operator Float16x2<Wide>() const {
    return {component(0), component(1)};
  }
};

template <class Format>
struct Float8x4 {
  unsigned __x;

  Float8x4() = default;
  SIMT_INLINE Float8x4(Float8x2<Format> low, Float8x2<Format> high)
      : __x(low.__x | static_cast<unsigned>(high.__x) << 16) {}
  SIMT_INLINE explicit Float8x4(float4 v)
      : Float8x4(Float8x2<Format>(float2{v.x, v.y}), Float8x2<Format>(float2{v.z, v.w})) {}
  SIMT_INLINE explicit Float8x4(double4 v)
      : Float8x4(Float8x2<Format>(double2{v.x, v.y}), Float8x2<Format>(double2{v.z, v.w})) {}
  template <class Wide>
  SIMT_INLINE explicit Float8x4(Float16x2<Wide> low, Float16x2<Wide> high)
      : Float8x4(Float8x2<Format>(low), Float8x2<Format>(high)) {}

  SIMT_INLINE float component(int i) const {
    return decode_float8<Format>(static_cast<std::uint8_t>(__x >> 8 * i));
  }
  SIMT_INLINE explicit operator float4() const {
    return {component(0), component(1), component(2), component(3)};
  }
};

}  // namespace simt
