// SPDX-License-Identifier: MIT
// Two 16-bit floating-point numbers in one 32-bit word; everything goes component by component.
#pragma once

#include "simt/float16.h"

namespace simt {

template <class Format>
struct alignas(4) Float16x2 {
  using Scalar = Float16<Format>;
  Scalar x, y;  // x in the low half

  Float16x2() = default;
  SIMT_INLINE Float16x2(Scalar x_, Scalar y_) : x(x_), y(y_) {}

#define SIMT_FLOAT16X2_BINARY(name, scalar_name)                \
  friend SIMT_INLINE Float16x2 name(Float16x2 a, Float16x2 b) { \
    return {scalar_name(a.x, b.x), scalar_name(a.y, b.y)};      \
  }
  SIMT_FLOAT16X2_BINARY(operator+, __hadd)
  SIMT_FLOAT16X2_BINARY(operator-, __hsub)
  SIMT_FLOAT16X2_BINARY(operator*, __hmul)
  SIMT_FLOAT16X2_BINARY(operator/, __hdiv)
  SIMT_FLOAT16X2_BINARY(__hadd2, __hadd)
  SIMT_FLOAT16X2_BINARY(__hsub2, __hsub)
  SIMT_FLOAT16X2_BINARY(__hmul2, __hmul)
  SIMT_FLOAT16X2_BINARY(__h2div, __hdiv)
  SIMT_FLOAT16X2_BINARY(__hadd2_sat, __hadd_sat)
  SIMT_FLOAT16X2_BINARY(__hsub2_sat, __hsub_sat)
  SIMT_FLOAT16X2_BINARY(__hmul2_sat, __hmul_sat)
  SIMT_FLOAT16X2_BINARY(__hmin2, __hmin)
  SIMT_FLOAT16X2_BINARY(__hmax2, __hmax)
  SIMT_FLOAT16X2_BINARY(__heq2, __heq)
  SIMT_FLOAT16X2_BINARY(__hne2, __hne)
  SIMT_FLOAT16X2_BINARY(__hlt2, __hlt)
  SIMT_FLOAT16X2_BINARY(__hgt2, __hgt)
  SIMT_FLOAT16X2_BINARY(__hle2, __hle)
  SIMT_FLOAT16X2_BINARY(__hge2, __hge)
#undef SIMT_FLOAT16X2_BINARY

#define SIMT_FLOAT16X2_UNARY(name, scalar_name) \
  friend SIMT_INLINE Float16x2 name(Float16x2 a) { return {scalar_name(a.x), scalar_name(a.y)}; }
  SIMT_FLOAT16X2_UNARY(operator-, __hneg)
  SIMT_FLOAT16X2_UNARY(__hneg2, __hneg)
  SIMT_FLOAT16X2_UNARY(__habs2, __habs)
  SIMT_FLOAT16X2_UNARY(h2sqrt, hsqrt)
  SIMT_FLOAT16X2_UNARY(h2rsqrt, hrsqrt)
  SIMT_FLOAT16X2_UNARY(h2rcp, hrcp)
  SIMT_FLOAT16X2_UNARY(h2exp, hexp)
  SIMT_FLOAT16X2_UNARY(h2exp2, hexp2)
  SIMT_FLOAT16X2_UNARY(h2log, hlog)
  SIMT_FLOAT16X2_UNARY(h2log2, hlog2)
  SIMT_FLOAT16X2_UNARY(h2sin, hsin)
  SIMT_FLOAT16X2_UNARY(h2cos, hcos)
  SIMT_FLOAT16X2_UNARY(h2exp10, hexp10)
  SIMT_FLOAT16X2_UNARY(h2log10, hlog10)
  SIMT_FLOAT16X2_UNARY(h2tanh, htanh)
  SIMT_FLOAT16X2_UNARY(h2tanh_approx, htanh_approx)
  SIMT_FLOAT16X2_UNARY(h2ceil, hceil)
  SIMT_FLOAT16X2_UNARY(h2floor, hfloor)
  SIMT_FLOAT16X2_UNARY(h2trunc, htrunc)
  SIMT_FLOAT16X2_UNARY(h2rint, hrint)
#undef SIMT_FLOAT16X2_UNARY

  SIMT_INLINE Float16x2& operator+=(Float16x2 b) { return *this = *this + b; }
  SIMT_INLINE Float16x2& operator-=(Float16x2 b) { return *this = *this - b; }
  SIMT_INLINE Float16x2& operator*=(Float16x2 b) { return *this = *this * b; }
  SIMT_INLINE Float16x2& operator/=(Float16x2 b) { return *this = *this / b; }
  friend SIMT_INLINE bool operator==(Float16x2 a, Float16x2 b) { return a.x == b.x && a.y == b.y; }
  friend SIMT_INLINE bool operator!=(Float16x2 a, Float16x2 b) { return !(a == b); }

  friend SIMT_INLINE Float16x2 __hfma2(Float16x2 a, Float16x2 b, Float16x2 c) {
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
  }

  // True if the relation holds for both components.
  friend SIMT_INLINE bool __hbeq2(Float16x2 a, Float16x2 b) { return a == b; }
  friend SIMT_INLINE bool __hbne2(Float16x2 a, Float16x2 b) {
    return __hne(a.x, b.x) && __hne(a.y, b.y);
  }
  friend SIMT_INLINE bool __hblt2(Float16x2 a, Float16x2 b) { return a.x < b.x && a.y < b.y; }
  friend SIMT_INLINE bool __hbgt2(Float16x2 a, Float16x2 b) { return a.x > b.x && a.y > b.y; }
  friend SIMT_INLINE bool __hble2(Float16x2 a, Float16x2 b) { return a.x <= b.x && a.y <= b.y; }
  friend SIMT_INLINE bool __hbge2(Float16x2 a, Float16x2 b) { return a.x >= b.x && a.y >= b.y; }

  friend SIMT_INLINE float __low2float(Float16x2 a) { return a.x; }
  friend SIMT_INLINE float __high2float(Float16x2 a) { return a.y; }
};

}  // namespace simt
