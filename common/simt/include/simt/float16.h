// SPDX-License-Identifier: MIT
// 16-bit floating-point numbers: what half and bfloat16 have in common. Arithmetic is exact and
// then rounded once, to nearest even, as on a device.
#pragma once

#include <cstdint>
#include <type_traits>

#include "simt/keywords.h"
#include "simt/rounding.h"

namespace simt {

struct HalfFormat {
  static constexpr int kExponentBits = 5;
  static constexpr int kFractionBits = 10;
  struct Raw {
    unsigned short x;
  };
};
struct BfloatFormat {
  static constexpr int kExponentBits = 8;
  static constexpr int kFractionBits = 7;
  struct Raw {
    unsigned short x;
  };
};

template <class Format>
std::uint16_t encode_float16(double value, Rounding rounding);
template <class Format>
float decode_float16(std::uint16_t bits);
template <class Format>
std::uint16_t multiply_add_float16(std::uint16_t a, std::uint16_t b, std::uint16_t c);

#define SIMT_FORMAT(Format)                                                                \
  extern template std::uint16_t encode_float16<Format>(double, Rounding);                  \
  extern template float decode_float16<Format>(std::uint16_t);                             \
  extern template std::uint16_t multiply_add_float16<Format>(std::uint16_t, std::uint16_t, \
                                                             std::uint16_t);
SIMT_FORMAT(HalfFormat)
SIMT_FORMAT(BfloatFormat)
#undef SIMT_FORMAT

// A number. Trivial, so that it may be in shared memory. Functions that take it are friends,
// found by argument; each argument may be anything that converts to it.
template <class Format>
struct Float16 {
  std::uint16_t __x;

  Float16() = default;
  SIMT_INLINE Float16(float value) : __x(encode_float16<Format>(value, Rounding::kNearest)) {}
  SIMT_INLINE Float16(double value) : __x(encode_float16<Format>(value, Rounding::kNearest)) {}
  template <class Integer>
  requires std::is_integral_v<Integer> SIMT_INLINE Float16(Integer value)
      : Float16(static_cast<double>(value)) {}

  // CUDA's type for the bits alone.
  SIMT_INLINE Float16(typename Format::Raw raw) : __x(raw.x) {}
  SIMT_INLINE operator typename Format::Raw() const { return {__x}; }

  static SIMT_INLINE Float16 from_bits(std::uint16_t bits) {
    Float16 result;
    result.__x = bits;
    return result;
  }
  static SIMT_INLINE Float16 rounded(double value, Rounding rounding) {
    return from_bits(encode_float16<Format>(value, rounding));
  }

  SIMT_INLINE operator float() const { return decode_float16<Format>(__x); }

  friend SIMT_INLINE Float16 operator+(Float16 a, Float16 b) { return float(a) + float(b); }
  friend SIMT_INLINE Float16 operator-(Float16 a, Float16 b) { return float(a) - float(b); }
  friend SIMT_INLINE Float16 operator*(Float16 a, Float16 b) { return float(a) * float(b); }
  friend SIMT_INLINE Float16 operator/(Float16 a, Float16 b) { return float(a) / float(b); }
  friend SIMT_INLINE Float16 operator+(Float16 a) { return a; }
  friend SIMT_INLINE Float16 operator-(Float16 a) { return from_bits(a.__x ^ 0x8000); }
  SIMT_INLINE Float16& operator+=(Float16 b) { return *this = *this + b; }
  SIMT_INLINE Float16& operator-=(Float16 b) { return *this = *this - b; }
  SIMT_INLINE Float16& operator*=(Float16 b) { return *this = *this * b; }
  SIMT_INLINE Float16& operator/=(Float16 b) { return *this = *this / b; }
  SIMT_INLINE Float16& operator++() { return *this += 1; }
  SIMT_INLINE Float16& operator--() { return *this -= 1; }
  friend SIMT_INLINE bool operator==(Float16 a, Float16 b) { return float(a) == float(b); }
  friend SIMT_INLINE bool operator!=(Float16 a, Float16 b) { return float(a) != float(b); }
  friend SIMT_INLINE bool operator<(Float16 a, Float16 b) { return float(a) < float(b); }
  friend SIMT_INLINE bool operator>(Float16 a, Float16 b) { return float(a) > float(b); }
  friend SIMT_INLINE bool operator<=(Float16 a, Float16 b) { return float(a) <= float(b); }
  friend SIMT_INLINE bool operator>=(Float16 a, Float16 b) { return float(a) >= float(b); }

  friend SIMT_INLINE Float16 __hadd(Float16 a, Float16 b) { return a + b; }
  friend SIMT_INLINE Float16 __hsub(Float16 a, Float16 b) { return a - b; }
  friend SIMT_INLINE Float16 __hmul(Float16 a, Float16 b) { return a * b; }
  friend SIMT_INLINE Float16 __hdiv(Float16 a, Float16 b) { return a / b; }
  friend SIMT_INLINE Float16 __hadd_sat(Float16 a, Float16 b) { return saturated(a + b); }
  friend SIMT_INLINE Float16 __hsub_sat(Float16 a, Float16 b) { return saturated(a - b); }
  friend SIMT_INLINE Float16 __hmul_sat(Float16 a, Float16 b) { return saturated(a * b); }
  friend SIMT_INLINE Float16 __hfma(Float16 a, Float16 b, Float16 c) {
    return from_bits(multiply_add_float16<Format>(a.__x, b.__x, c.__x));
  }
  friend SIMT_INLINE Float16 __hfma_sat(Float16 a, Float16 b, Float16 c) {
    return saturated(__hfma(a, b, c));
  }
  friend SIMT_INLINE Float16 __hneg(Float16 a) { return -a; }
  friend SIMT_INLINE Float16 __habs(Float16 a) { return from_bits(a.__x & 0x7fff); }
  friend SIMT_INLINE Float16 __hmin(Float16 a, Float16 b) { return fminf(a, b); }
  friend SIMT_INLINE Float16 __hmax(Float16 a, Float16 b) { return fmaxf(a, b); }

  friend SIMT_INLINE bool __heq(Float16 a, Float16 b) { return a == b; }
  friend SIMT_INLINE bool __hne(Float16 a, Float16 b) { return a < b || a > b; }
  friend SIMT_INLINE bool __hlt(Float16 a, Float16 b) { return a < b; }
  friend SIMT_INLINE bool __hgt(Float16 a, Float16 b) { return a > b; }
  friend SIMT_INLINE bool __hle(Float16 a, Float16 b) { return a <= b; }
  friend SIMT_INLINE bool __hge(Float16 a, Float16 b) { return a >= b; }
  friend SIMT_INLINE bool __hisnan(Float16 a) { return std::isnan(float(a)); }
  friend SIMT_INLINE int __hisinf(Float16 a) {
    return std::isinf(float(a)) ? (float(a) < 0 ? -1 : 1) : 0;
  }

#define SIMT_FLOAT16_FUNCTION(name, expression) \
  friend SIMT_INLINE Float16 name(Float16 a) {  \
    const double x = float(a);                  \
    return expression;                          \
  }
  SIMT_FLOAT16_FUNCTION(hsqrt, std::sqrt(x))
  SIMT_FLOAT16_FUNCTION(hrsqrt, 1 / std::sqrt(x))
  SIMT_FLOAT16_FUNCTION(hrcp, 1 / x)
  SIMT_FLOAT16_FUNCTION(hexp, std::exp(x))
  SIMT_FLOAT16_FUNCTION(hexp2, std::exp2(x))
  SIMT_FLOAT16_FUNCTION(hexp10, std::pow(10.0, x))
  SIMT_FLOAT16_FUNCTION(hlog, std::log(x))
  SIMT_FLOAT16_FUNCTION(hlog2, std::log2(x))
  SIMT_FLOAT16_FUNCTION(hlog10, std::log10(x))
  SIMT_FLOAT16_FUNCTION(hsin, std::sin(x))
  SIMT_FLOAT16_FUNCTION(hcos, std::cos(x))
  SIMT_FLOAT16_FUNCTION(htanh, std::tanh(x))
  SIMT_FLOAT16_FUNCTION(htanh_approx, std::tanh(x))
  SIMT_FLOAT16_FUNCTION(hceil, std::ceil(x))
  SIMT_FLOAT16_FUNCTION(hfloor, std::floor(x))
  SIMT_FLOAT16_FUNCTION(htrunc, std::trunc(x))
  SIMT_FLOAT16_FUNCTION(hrint, std::nearbyint(x))
#undef SIMT_FLOAT16_FUNCTION

 private:
  static SIMT_INLINE Float16 saturated(Float16 a) { return fminf(fmaxf(a, 0.0f), 1.0f); }
};

}  // namespace simt
