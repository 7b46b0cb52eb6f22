// SPDX-License-Identifier: MIT
// Floating-point formats, one lane at a time: flushing, canonical NaNs, 16-bit formats, and
// rounding to odd, after which a second rounding gives what one rounding would have given.
// Source of that: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008.
#pragma once

#include "run/arithmetic/handlers.h"
#include "run/arithmetic/lanes.h"

namespace run::arithmetic {

inline constexpr std::uint32_t kCanonicalNan32 = 0x7fffffff;
inline constexpr std::uint16_t kCanonicalNan16 = 0x7fff;  // f16 and bf16
// What an invalid operation of f64 gives. A NaN that goes in comes out, made quiet.
inline constexpr std::uint64_t kInvalid64 = 0xfff8000000000000;
inline constexpr std::uint64_t kQuiet64 = 0x0008000000000000;

LAB_INLINE std::uint32_t bits_of(float x) { return __builtin_bit_cast(std::uint32_t, x); }
LAB_INLINE std::uint64_t bits_of(double x) { return __builtin_bit_cast(std::uint64_t, x); }
LAB_INLINE float float_of(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }
LAB_INLINE double double_of(std::uint64_t bits) { return __builtin_bit_cast(double, bits); }

LAB_INLINE float flushed(float x) {
  const std::uint32_t bits = bits_of(x);
  return float_of((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}
LAB_INLINE float canonical(float x) { return x != x ? float_of(kCanonicalNan32) : x; }

LAB_INLINE float widen(float x) { return x; }
LAB_INLINE double widen(double x) { return x; }
LAB_INLINE float widen(F16 x) {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(x.bits & 0x7fff) << 13;
  // 2^112 moves the exponent's bias, and makes normal numbers of denormal ones.
  const std::uint32_t finite = bits_of(float_of(magnitude) * 0x1p112f);
  const std::uint32_t special = magnitude | 0x7f800000;
  return float_of((magnitude >= 0x0f800000 ? special : finite) |
                  static_cast<std::uint32_t>(x.bits & 0x8000) << 16);
}
LAB_INLINE float widen(BF16 x) { return float_of(static_cast<std::uint32_t>(x.bits) << 16); }

// To the nearest, ties to even.
template <class H>
LAB_INLINE H narrow(float x);
template <>
[[gnu::always_inline]] inline F16 narrow<F16>(float x) {
  const std::uint32_t bits = bits_of(x), magnitude = bits & 0x7fffffff;
  // The unit of 0.5 is 2^-24, the smallest f16.
  const std::uint32_t small = bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f);
  const std::uint32_t rounded =
      ((magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13) - (std::uint32_t{112} << 10);
  const std::uint32_t large = rounded < 0x7c00 ? rounded : 0x7c00;
  const std::uint32_t half =
      magnitude < 0x38800000 ? small : (magnitude >= 0x47800000 ? std::uint32_t{0x7c00} : large);
  const std::uint32_t result = half | (bits >> 16 & 0x8000);
  return {static_cast<std::uint16_t>(magnitude > 0x7f800000 ? kCanonicalNan16 : result)};
}
template <>
[[gnu::always_inline]] inline BF16 narrow<BF16>(float x) {
  const std::uint32_t bits = bits_of(x);
  const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return {static_cast<std::uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? kCanonicalNan16 : rounded)};
}

// The bits of the nearest number, made odd towards the exact one where that is between.
LAB_INLINE float odd(float sum, float error) {
  const std::uint32_t bits = bits_of(sum);
  const bool inexact = (error > 0) | (error < 0);
  const std::uint32_t step = (error > 0) == (bits >> 31 == 0) ? 1 : ~std::uint32_t{0};
  return float_of(inexact && (bits & 1) == 0 ? bits + step : bits);
}
LAB_INLINE double odd(double sum, double error) {
  const std::uint64_t bits = bits_of(sum);
  const bool inexact = (error > 0) | (error < 0);
  const std::uint64_t step = (error > 0) == (bits >> 63 == 0) ? 1 : ~std::uint64_t{0};
  return double_of(inexact && (bits & 1) == 0 ? bits + step : bits);
}
template <class T>
LAB_INLINE T add_odd(T x, T y) {
  const T sum = x + y;
  const T of_y = sum - x;
  return odd(sum, (x - (sum - of_y)) + (y - of_y));
}

// a * b + c, rounded once. Where the processor has no such instruction: the product of two floats
// is exact in double.
LAB_INLINE float fused(float a, float b, float c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fmaf(a, b, c);
#else
  return static_cast<float>(add_odd(static_cast<double>(a) * b, static_cast<double>(c)));
#endif
}
LAB_INLINE double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

// Rounds to a small format, given by its bits: significand bits stored, smallest exponent of a
// normal number. The result is the magnitude as if the format had no end, or the infinity where
// `infinity` is passed; the caller knows what is beyond. x is finite.
template <int stored, int least_exponent>
LAB_INLINE std::uint32_t magnitude_in(double x, Rounding rounding) {
  const std::uint64_t bits = bits_of(x) & 0x7fffffffffffffff;
  const bool is_negative = bits_of(x) >> 63 != 0;
  const std::int64_t exponent = static_cast<std::int64_t>(bits >> 52) - 1023;
  const bool is_normal = exponent >= least_exponent;
  const std::int64_t missing = is_normal ? 0 : least_exponent - exponent;
  std::uint64_t shift = static_cast<std::uint64_t>(52 - stored + missing);
  shift = shift < 62 ? shift : 62;
  const std::uint64_t significand =
      (bits & 0x000fffffffffffff) | (exponent == -1023 ? 0 : std::uint64_t{1} << 52);
  const std::uint64_t kept = significand >> shift;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  bool up = rest > half || (rest == half && (kept & 1) != 0);
  up = rounding == Rounding::kNearestAway ? rest >= half : up;
  up = rounding == Rounding::kZero ? false : up;
  up = rounding == Rounding::kDown ? is_negative && rest != 0 : up;
  up = rounding == Rounding::kUp ? !is_negative && rest != 0 : up;
  // 256 is beyond the end of every format.
  const std::int64_t above = exponent - least_exponent < 256 ? exponent - least_exponent : 256;
  const std::int64_t base = is_normal ? above : 0;
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(base) << stored) + kept +
                                    (up ? 1 : 0));
}

}  // namespace run::arithmetic
