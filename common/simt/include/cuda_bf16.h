// SPDX-License-Identifier: MIT
// bfloat16 and its pairs. Arithmetic, comparisons and functions are in simt/float16.h and
// simt/float16x2.h; here are the names that spell "bfloat16" and the conversions.
#pragma once

#include "simt/float16.h"
#include "simt/float16x2.h"
#include "simt/vector_types.h"

using __nv_bfloat16 = simt::Float16<simt::BfloatFormat>;
using __nv_bfloat162 = simt::Float16x2<simt::BfloatFormat>;
using __nv_bfloat16_raw = simt::BfloatFormat::Raw;
struct __nv_bfloat162_raw {
  unsigned short x, y;
};
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

SIMT_INLINE float __bfloat162float(__nv_bfloat16 a) { return a; }
SIMT_INLINE __nv_bfloat16 __float2bfloat16(float x) { return x; }
SIMT_INLINE __nv_bfloat16 __float2bfloat16_rn(float x) { return x; }
SIMT_INLINE __nv_bfloat16 __float2bfloat16_rz(float x) {
  return __nv_bfloat16::rounded(x, simt::Rounding::kZero);
}
SIMT_INLINE __nv_bfloat16 __float2bfloat16_ru(float x) {
  return __nv_bfloat16::rounded(x, simt::Rounding::kUp);
}
SIMT_INLINE __nv_bfloat16 __float2bfloat16_rd(float x) {
  return __nv_bfloat16::rounded(x, simt::Rounding::kDown);
}
SIMT_INLINE __nv_bfloat16 __double2bfloat16(double x) { return x; }
SIMT_INLINE __nv_bfloat16 __int2bfloat16_rn(int x) { return x; }
SIMT_INLINE __nv_bfloat16 __uint2bfloat16_rn(unsigned x) { return x; }
SIMT_INLINE int __bfloat162int_rn(__nv_bfloat16 a) { return __float2int_rn(a); }
SIMT_INLINE int __bfloat162int_rz(__nv_bfloat16 a) { return __float2int_rz(a); }

SIMT_INLINE unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
SIMT_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return __nv_bfloat16::from_bits(bits);
}

SIMT_INLINE __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
SIMT_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
SIMT_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
SIMT_INLINE __nv_bfloat162 __float2bfloat162_rn(float x) {
  return {__nv_bfloat16(x), __nv_bfloat16(x)};
}
SIMT_INLINE __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {__nv_bfloat16(x), __nv_bfloat16(y)};
}
SIMT_INLINE __nv_bfloat162 __float22bfloat162_rn(float2 v) {
  return {__nv_bfloat16(v.x), __nv_bfloat16(v.y)};
}
SIMT_INLINE float2 __bfloat1622float2(__nv_bfloat162 v) { return {v.x, v.y}; }
SIMT_INLINE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
SIMT_INLINE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
SIMT_INLINE __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return {v.x, v.x}; }
SIMT_INLINE __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return {v.y, v.y}; }
