// SPDX-License-Identifier: MIT
// half and half2. Arithmetic, comparisons and functions are in lockstep/float16.inc; here are the
// names that spell "half".
#pragma once

#include <type_traits>

#include "cuda_runtime.h"
#include "lockstep/small_float.h"

#define __CUDA_FP16_TYPES_EXIST__

namespace lockstep {
using HalfFormat = SmallFloat<5, 10>;
}

#define LOCKSTEP_NUMBER __half
#define LOCKSTEP_PAIR __half2
#define LOCKSTEP_NUMBER_RAW __half_raw
#define LOCKSTEP_PAIR_RAW __half2_raw
#define LOCKSTEP_FORMAT lockstep::HalfFormat
#define LOCKSTEP_NATIVE _Float16
#define LOCKSTEP_PTX_TYPE "f16"
#include "lockstep/float16.inc"

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

LOCKSTEP_INLINE float __half2float(__half a) { return a; }
LOCKSTEP_INLINE __half __float2half(float x) { return x; }
LOCKSTEP_INLINE __half __float2half_rn(float x) { return x; }
LOCKSTEP_INLINE __half __double2half(double x) { return x; }
#ifdef __CUDA_ARCH__
#define LOCKSTEP_TO_HALF(suffix, instruction, rounding)                   \
  LOCKSTEP_INLINE __half __float2half_##suffix(float x) {                 \
    unsigned short bits;                                                  \
    __asm__("cvt." instruction ".f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); \
    return __half::from_bits(bits);                                       \
  }
#else
#define LOCKSTEP_TO_HALF(suffix, instruction, rounding)      \
  LOCKSTEP_INLINE __half __float2half_##suffix(float x) {    \
    return __half::rounded(x, lockstep::Rounding::rounding); \
  }
#endif
LOCKSTEP_TO_HALF(rz, "rz", kZero)
LOCKSTEP_TO_HALF(ru, "rp", kUp)
LOCKSTEP_TO_HALF(rd, "rm", kDown)
#undef LOCKSTEP_TO_HALF

LOCKSTEP_INLINE unsigned short __half_as_ushort(__half a) { return a.__x; }
LOCKSTEP_INLINE short __half_as_short(__half a) { return static_cast<short>(a.__x); }
LOCKSTEP_INLINE __half __ushort_as_half(unsigned short bits) { return __half::from_bits(bits); }
LOCKSTEP_INLINE __half __short_as_half(short bits) {
  return __half::from_bits(static_cast<unsigned short>(bits));
}

#ifdef __CUDA__
#define LOCKSTEP_HALF_CONVERSIONS(suffix)                                                          \
  LOCKSTEP_DEVICE int __half2int_##suffix(__half a) { return __float2int_##suffix(a); }            \
  LOCKSTEP_DEVICE unsigned int __half2uint_##suffix(__half a) { return __float2uint_##suffix(a); } \
  LOCKSTEP_DEVICE long long __half2ll_##suffix(__half a) { return __float2ll_##suffix(a); }        \
  LOCKSTEP_DEVICE unsigned long long __half2ull_##suffix(__half a) {                               \
    return __float2ull_##suffix(a);                                                                \
  }                                                                                                \
  LOCKSTEP_DEVICE short __half2short_##suffix(__half a) {                                          \
    const int x = __float2int_##suffix(a);                                                         \
    return static_cast<short>(x < -32768 ? -32768 : x > 32767 ? 32767 : x);                        \
  }                                                                                                \
  LOCKSTEP_DEVICE unsigned short __half2ushort_##suffix(__half a) {                                \
    const unsigned int x = __float2uint_##suffix(a);                                               \
    return static_cast<unsigned short>(x > 65535 ? 65535 : x);                                     \
  }
LOCKSTEP_HALF_CONVERSIONS(rn)
LOCKSTEP_HALF_CONVERSIONS(rz)
LOCKSTEP_HALF_CONVERSIONS(ru)
LOCKSTEP_HALF_CONVERSIONS(rd)
#undef LOCKSTEP_HALF_CONVERSIONS
#endif

#define LOCKSTEP_TO_HALF(name, type)                              \
  LOCKSTEP_INLINE __half __##name##2half_rn(type x) { return x; } \
  LOCKSTEP_TO_HALF_ROUNDED(name, type, rz, kZero)                 \
  LOCKSTEP_TO_HALF_ROUNDED(name, type, ru, kUp)                   \
  LOCKSTEP_TO_HALF_ROUNDED(name, type, rd, kDown)
#define LOCKSTEP_TO_HALF_ROUNDED(name, type, suffix, rounding)                    \
  LOCKSTEP_INLINE __half __##name##2half_##suffix(type x) {                       \
    return __half::rounded(static_cast<double>(x), lockstep::Rounding::rounding); \
  }
LOCKSTEP_TO_HALF(int, int)
LOCKSTEP_TO_HALF(uint, unsigned int)
LOCKSTEP_TO_HALF(short, short)
LOCKSTEP_TO_HALF(ushort, unsigned short)
LOCKSTEP_TO_HALF(ll, long long)
LOCKSTEP_TO_HALF(ull, unsigned long long)
#undef LOCKSTEP_TO_HALF_ROUNDED
#undef LOCKSTEP_TO_HALF

LOCKSTEP_INLINE __half2 make_half2(__half x, __half y) { return {x, y}; }
LOCKSTEP_INLINE __half2 __halves2half2(__half x, __half y) { return {x, y}; }
LOCKSTEP_INLINE __half2 __half2half2(__half x) { return {x, x}; }
LOCKSTEP_INLINE __half2 __float2half2_rn(float x) { return {__half(x), __half(x)}; }
LOCKSTEP_INLINE __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
LOCKSTEP_INLINE __half2 __float22half2_rn(float2 v) { return {__half(v.x), __half(v.y)}; }
LOCKSTEP_INLINE float2 __half22float2(__half2 v) { return {v.x, v.y}; }
LOCKSTEP_INLINE __half __low2half(__half2 v) { return v.x; }
LOCKSTEP_INLINE __half __high2half(__half2 v) { return v.y; }
LOCKSTEP_INLINE __half2 __low2half2(__half2 v) { return {v.x, v.x}; }
LOCKSTEP_INLINE __half2 __high2half2(__half2 v) { return {v.y, v.y}; }
LOCKSTEP_INLINE __half2 __lowhigh2highlow(__half2 v) { return {v.y, v.x}; }
LOCKSTEP_INLINE __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
LOCKSTEP_INLINE __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
