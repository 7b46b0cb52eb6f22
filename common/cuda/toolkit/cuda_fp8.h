// SPDX-License-Identifier: MIT
// 8-bit floating-point numbers: E4M3 and E5M2. Conversions round to nearest even.
#pragma once

#include <type_traits>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "lockstep/small_float.h"

#define __CUDA_FP8_TYPES_EXIST__

namespace lockstep {

// kLargest: the bits of the largest finite number. kOverflow: those of what is too large, if it is
// not to be the largest finite number.
template <int exponent_bits, int fraction_bits, unsigned int kLargest, unsigned int kOverflow>
struct Float8Format : SmallFloat<exponent_bits, fraction_bits> {
  using Base = SmallFloat<exponent_bits, fraction_bits>;

  static constexpr LOCKSTEP_INLINE unsigned char encode(double value, bool saturates) {
    const auto bits = __builtin_bit_cast(unsigned long long, value);
    const unsigned int sign = bits >> 63 != 0 ? 0x80 : 0;
    const unsigned long long magnitude = bits & ~(1ull << 63);
    if (magnitude > 0x7ffull << 52) return 0x7f;  // a NaN
    const unsigned int too_large = saturates ? kLargest : kOverflow;
    if (magnitude == 0x7ffull << 52) return static_cast<unsigned char>(sign | too_large);
    const unsigned long long fields = Base::fields_of(value, Rounding::kNearest);
    return static_cast<unsigned char>(sign | (fields <= kLargest ? fields : too_large));
  }

  static constexpr LOCKSTEP_INLINE float decode(unsigned int bits) {
    const unsigned int magnitude = bits & 0x7f;
    if (magnitude <= kLargest && magnitude >= Base::kInfinity) {  // E4M3 has no infinity
      const unsigned int fraction = magnitude & ((1u << fraction_bits) - 1);
      const unsigned int biased = (1u << exponent_bits) - 2 + Base::kMinExponent + 127;
      return __builtin_bit_cast(
          float, (bits & 0x80) << 24 | biased << 23 | fraction << (23 - fraction_bits));
    }
    return Base::decode(bits);
  }
};
// E4M3 has one NaN of each sign, and no infinity.
using E4m3Format = Float8Format<4, 3, 0x7e, 0x7f>;
using E5m2Format = Float8Format<5, 2, 0x7b, 0x7c>;

}  // namespace lockstep

#define LOCKSTEP_NUMBER __nv_fp8_e4m3
#define LOCKSTEP_PAIR __nv_fp8x2_e4m3
#define LOCKSTEP_FOUR __nv_fp8x4_e4m3
#define LOCKSTEP_FORMAT lockstep::E4m3Format
#include "lockstep/float8.inc"
#define LOCKSTEP_NUMBER __nv_fp8_e5m2
#define LOCKSTEP_PAIR __nv_fp8x2_e5m2
#define LOCKSTEP_FOUR __nv_fp8x4_e5m2
#define LOCKSTEP_FORMAT lockstep::E5m2Format
#include "lockstep/float8.inc"

enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned;

LOCKSTEP_INLINE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation,
                                                          __nv_fp8_interpretation_t format) {
  const bool saturates = saturation == __NV_SATFINITE;
  return format == __NV_E4M3 ? lockstep::E4m3Format::encode(x, saturates)
                             : lockstep::E5m2Format::encode(x, saturates);
}
LOCKSTEP_INLINE __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 v,
                                                               __nv_saturation_t saturation,
                                                               __nv_fp8_interpretation_t format) {
  return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_double_to_fp8(v.x, saturation, format) |
                                           __nv_cvt_double_to_fp8(v.y, saturation, format) << 8);
}

#define LOCKSTEP_TO_FP8(name, Type, expression)                                        \
  LOCKSTEP_INLINE __nv_fp8_storage_t __nv_cvt_##name##_to_fp8(                         \
      Type x, __nv_saturation_t saturation, __nv_fp8_interpretation_t format) {        \
    return __nv_cvt_double_to_fp8(static_cast<float>(expression), saturation, format); \
  }
LOCKSTEP_TO_FP8(float, float, x)
LOCKSTEP_TO_FP8(halfraw, __half_raw, __half(x))
LOCKSTEP_TO_FP8(bfloat16raw, __nv_bfloat16_raw, __nv_bfloat16(x))
#undef LOCKSTEP_TO_FP8

#define LOCKSTEP_TO_FP8X2(name, scalar, Type, Scalar)                                  \
  LOCKSTEP_INLINE __nv_fp8x2_storage_t __nv_cvt_##name##_to_fp8x2(                     \
      Type v, __nv_saturation_t saturation, __nv_fp8_interpretation_t format) {        \
    const unsigned low = __nv_cvt_##scalar##_to_fp8(Scalar{v.x}, saturation, format);  \
    const unsigned high = __nv_cvt_##scalar##_to_fp8(Scalar{v.y}, saturation, format); \
    return static_cast<__nv_fp8x2_storage_t>(low | high << 8);                         \
  }
LOCKSTEP_TO_FP8X2(float2, float, float2, float)
LOCKSTEP_TO_FP8X2(halfraw2, halfraw, __half2_raw, __half_raw)
LOCKSTEP_TO_FP8X2(bfloat16raw2, bfloat16raw, __nv_bfloat162_raw, __nv_bfloat16_raw)
#undef LOCKSTEP_TO_FP8X2

LOCKSTEP_INLINE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x,
                                                   __nv_fp8_interpretation_t format) {
  return __half(format == __NV_E4M3 ? lockstep::E4m3Format::decode(x)
                                    : lockstep::E5m2Format::decode(x));
}
LOCKSTEP_INLINE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                       __nv_fp8_interpretation_t format) {
  const auto low = static_cast<__nv_fp8_storage_t>(x & 0xff);
  const auto high = static_cast<__nv_fp8_storage_t>(x >> 8);
  return {__nv_cvt_fp8_to_halfraw(low, format).x, __nv_cvt_fp8_to_halfraw(high, format).x};
}

// E8M0: a power of two without a sign, from 2^-127 to 2^127, for scales of blocks of numbers. Zero
// becomes the least of them; 0xff is the NaN.
enum cudaRoundMode {
  cudaRoundNearest = 0,
  cudaRoundZero = 1,
  cudaRoundPosInf = 2,
  cudaRoundMinInf = 3,
};
LOCKSTEP_INLINE __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturation,
                                                           cudaRoundMode rounding) {
  const auto bits = __builtin_bit_cast(unsigned long long, x) & ~(1ull << 63);
  if (bits > 0x7ffull << 52) return 0xff;
  int exponent = static_cast<int>(bits >> 52) - 1023;
  const bool is_power = (bits & ((1ull << 52) - 1)) == 0;
  if (!is_power && rounding == cudaRoundPosInf) ++exponent;
  if (exponent < -127) return 0;
  if (exponent > 127) return saturation == __NV_SATFINITE ? 0xfe : 0xff;
  return static_cast<__nv_fp8_storage_t>(exponent + 127);
}
LOCKSTEP_INLINE __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturation,
                                                          cudaRoundMode rounding) {
  return __nv_cvt_double_to_e8m0(x, saturation, rounding);
}
LOCKSTEP_INLINE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x,
                                                                __nv_saturation_t saturation,
                                                                cudaRoundMode rounding) {
  return __nv_cvt_double_to_e8m0(static_cast<float>(__nv_bfloat16(x)), saturation, rounding);
}
LOCKSTEP_INLINE __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
  if (x == 0xff) return {0x7fff};
  return {static_cast<unsigned short>(x == 0 ? 0x40 : x << 7)};  // 2^-127 is subnormal
}

struct __nv_fp8_e8m0 {
  __nv_fp8_storage_t __x;

  __nv_fp8_e8m0() = default;
  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  explicit LOCKSTEP_INLINE __nv_fp8_e8m0(Number value)
      : __x(__nv_cvt_double_to_e8m0(static_cast<double>(value), __NV_SATFINITE, cudaRoundPosInf)) {}
  explicit LOCKSTEP_INLINE operator float() const {
    return static_cast<float>(__nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(__x)));
  }
  explicit LOCKSTEP_INLINE operator double() const { return static_cast<float>(*this); }
};
struct __nv_fp8x2_e8m0 {
  __nv_fp8x2_storage_t __x;
};
struct __nv_fp8x4_e8m0 {
  __nv_fp8x4_storage_t __x;
};
