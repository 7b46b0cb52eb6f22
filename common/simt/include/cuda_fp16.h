// SPDX-License-Identifier: MIT
// half and half2. Arithmetic, comparisons and functions are in simt/float16.h and simt/float16x2.h;
// here are the names that spell "half" and the conversions.
#pragma once

#include "simt/float16.h"
#include "simt/float16x2.h"
#include "simt/vector_types.h"

using __half = simt::Float16<simt::HalfFormat>;
using __half2 = simt::Float16x2<simt::HalfFormat>;
using __half_raw = simt::HalfFormat::Raw;
struct __half2_raw {
  unsigned short x, y;
};
using half = __half;
using half2 = __half2;

SIMT_INLINE float __half2float(__half a) { return a; }
SIMT_INLINE __half __float2half(float x) { return x; }
SIMT_INLINE __half __float2half_rn(float x) { return x; }
SIMT_INLINE __half __float2half_rz(float x) { return __half::rounded(x, simt::Rounding::kZero); }
SIMT_INLINE __half __float2half_ru(float x) { return __half::rounded(x, simt::Rounding::kUp); }
SIMT_INLINE __half __float2half_rd(float x) { return __half::rounded(x, simt::Rounding::kDown); }
SIMT_INLINE __half __double2half(double x) { return x; }

SIMT_INLINE unsigned short __half_as_ushort(__half a) { return a.__x; }
SIMT_INLINE short __half_as_short(__half a) { return static_cast<short>(a.__x); }
SIMT_INLINE __half __ushort_as_half(unsigned short bits) { return __half::from_bits(bits); }
SIMT_INLINE __half __short_as_half(short bits) {
  return __half::from_bits(static_cast<unsigned short>(bits));
}

#define SIMT_HALF_CONVERSIONS(suffix, rounding)                                            \
  SIMT_INLINE int __half2int_##suffix(__half a) { return __float2int_##suffix(a); }        \
  SIMT_INLINE unsigned __half2uint_##suffix(__half a) { return __float2uint_##suffix(a); } \
  SIMT_INLINE long long __half2ll_##suffix(__half a) { return __float2ll_##suffix(a); }    \
  SIMT_INLINE short __half2short_##suffix(__half a) {                                      \
    const int x = __float2int_##suffix(a);                                                 \
    return static_cast<short>(x < -32768 ? -32768 : x > 32767 ? 32767 : x);                \
  }                                                                                        \
  SIMT_INLINE __half __int2half_##suffix(int x) {                                          \
    return __half::rounded(x, simt::Rounding::rounding);                                   \
  }                                                                                        \
  SIMT_INLINE __half __uint2half_##suffix(unsigned x) {                                    \
    return __half::rounded(x, simt::Rounding::rounding);                                   \
  }                                                                                        \
  SIMT_INLINE __half __short2half_##suffix(short x) {                                      \
    return __half::rounded(x, simt::Rounding::rounding);                                   \
  }
SIMT_HALF_CONVERSIONS(rn, kNearest)
SIMT_HALF_CONVERSIONS(rz, kZero)
SIMT_HALF_CONVERSIONS(ru, kUp)
SIMT_HALF_CONVERSIONS(rd, kDown)
#undef SIMT_HALF_CONVERSIONS

SIMT_INLINE __half2 make_half2(__half x, __half y) { return {x, y}; }
SIMT_INLINE __half2 __halves2half2(__half x, __half y) { return {x, y}; }
SIMT_INLINE __half2 __half2half2(__half x) { return {x, x}; }
SIMT_INLINE __half2 __float2half2_rn(float x) { return {__half(x), __half(x)}; }
SIMT_INLINE __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
SIMT_INLINE __half2 __float22half2_rn(float2 v) { return {__half(v.x), __half(v.y)}; }
SIMT_INLINE float2 __half22float2(__half2 v) { return {v.x, v.y}; }
SIMT_INLINE __half __low2half(__half2 v) { return v.x; }
SIMT_INLINE __half __high2half(__half2 v) { return v.y; }
SIMT_INLINE __half2 __low2half2(__half2 v) { return {v.x, v.x}; }
SIMT_INLINE __half2 __high2half2(__half2 v) { return {v.y, v.y}; }
SIMT_INLINE __half2 __lowhigh2highlow(__half2 v) { return {v.y, v.x}; }
SIMT_INLINE __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
SIMT_INLINE __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
