// SPDX-License-Identifier: MIT
// bfloat16 and its pairs. Arithmetic, comparisons and functions are in lockstep/float16.inc; here
// are the names that spell "bfloat16".
#pragma once

#include <type_traits>

#include "cuda_runtime.h"
#include "lockstep/small_float.h"

#define __CUDA_BF16_TYPES_EXIST__

namespace lockstep {
using BfloatFormat = SmallFloat<8, 7>;
}

#define LOCKSTEP_NUMBER __nv_bfloat16
#define LOCKSTEP_PAIR __nv_bfloat162
#define LOCKSTEP_NUMBER_RAW __nv_bfloat16_raw
#define LOCKSTEP_PAIR_RAW __nv_bfloat162_raw
#define LOCKSTEP_FORMAT lockstep::BfloatFormat
#define LOCKSTEP_NATIVE __bf16
#define LOCKSTEP_PTX_TYPE "bf16"
#include "lockstep/float16.inc"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

LOCKSTEP_INLINE float __bfloat162float(__nv_bfloat16 a) { return a; }
LOCKSTEP_INLINE __nv_bfloat16 __float2bfloat16(float x) { return x; }
LOCKSTEP_INLINE __nv_bfloat16 __float2bfloat16_rn(float x) { return x; }
LOCKSTEP_INLINE __nv_bfloat16 __float2bfloat16_rz(float x) {
  return __nv_bfloat16::rounded(x, lockstep::Rounding::kZero);
}
LOCKSTEP_INLINE __nv_bfloat16 __float2bfloat16_ru(float x) {
  return __nv_bfloat16::rounded(x, lockstep::Rounding::kUp);
}
LOCKSTEP_INLINE __nv_bfloat16 __float2bfloat16_rd(float x) {
  return __nv_bfloat16::rounded(x, lockstep::Rounding::kDown);
}
LOCKSTEP_INLINE __nv_bfloat16 __double2bfloat16(double x) { return x; }
LOCKSTEP_INLINE __nv_bfloat16 __int2bfloat16_rn(int x) { return x; }
LOCKSTEP_INLINE __nv_bfloat16 __uint2bfloat16_rn(unsigned int x) { return x; }
#ifdef __CUDA__
LOCKSTEP_DEVICE int __bfloat162int_rn(__nv_bfloat16 a) { return __float2int_rn(a); }
LOCKSTEP_DEVICE int __bfloat162int_rz(__nv_bfloat16 a) { return __float2int_rz(a); }
LOCKSTEP_DEVICE unsigned int __bfloat162uint_rn(__nv_bfloat16 a) { return __float2uint_rn(a); }
LOCKSTEP_DEVICE unsigned int __bfloat162uint_rz(__nv_bfloat16 a) { return __float2uint_rz(a); }
#endif

LOCKSTEP_INLINE unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
LOCKSTEP_INLINE short __bfloat16_as_short(__nv_bfloat16 a) { return static_cast<short>(a.__x); }
LOCKSTEP_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return __nv_bfloat16::from_bits(bits);
}
LOCKSTEP_INLINE __nv_bfloat16 __short_as_bfloat16(short bits) {
  return __nv_bfloat16::from_bits(static_cast<unsigned short>(bits));
}

LOCKSTEP_INLINE __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
LOCKSTEP_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return {x, y};
}
LOCKSTEP_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
LOCKSTEP_INLINE __nv_bfloat162 __float2bfloat162_rn(float x) {
  return {__nv_bfloat16(x), __nv_bfloat16(x)};
}
LOCKSTEP_INLINE __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {__nv_bfloat16(x), __nv_bfloat16(y)};
}
LOCKSTEP_INLINE __nv_bfloat162 __float22bfloat162_rn(float2 v) {
  return {__nv_bfloat16(v.x), __nv_bfloat16(v.y)};
}
LOCKSTEP_INLINE float2 __bfloat1622float2(__nv_bfloat162 v) { return {v.x, v.y}; }
LOCKSTEP_INLINE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
LOCKSTEP_INLINE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
LOCKSTEP_INLINE __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return {v.x, v.x}; }
LOCKSTEP_INLINE __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return {v.y, v.y}; }
LOCKSTEP_INLINE __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) { return {v.y, v.x}; }
LOCKSTEP_INLINE __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.x, b.x};
}
LOCKSTEP_INLINE __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.y, b.y};
}
