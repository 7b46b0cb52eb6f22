// SPDX-License-Identifier: MIT
// Mathematics that CUDA has beyond <cmath>. The heavy functions are out of line, in the uninstrumented
// library, where a kernel's calls leave no trace but their results.
#pragma once

#include <math.h>

#include <cmath>
#include <type_traits>

#include "simt/keywords.h"
#include "simt/rounding.h"

// min and max for equal types as functions, so that they win over std::min with `using namespace
// std`, and for mixed ones in their common type.
#define SIMT_MIN_MAX(type)                                                    \
  constexpr SIMT_INLINE type min(type a, type b) { return b < a ? b : a; }    \
  constexpr SIMT_INLINE type max(type a, type b) { return a < b ? b : a; }
SIMT_MIN_MAX(int)
SIMT_MIN_MAX(unsigned)
SIMT_MIN_MAX(long)
SIMT_MIN_MAX(unsigned long)
SIMT_MIN_MAX(long long)
SIMT_MIN_MAX(unsigned long long)
#undef SIMT_MIN_MAX
SIMT_INLINE float min(float a, float b) { return fminf(a, b); }  // a NaN gives way to a number
SIMT_INLINE float max(float a, float b) { return fmaxf(a, b); }
SIMT_INLINE double min(double a, double b) { return fmin(a, b); }
SIMT_INLINE double max(double a, double b) { return fmax(a, b); }

namespace simt {
template <class A, class B>
concept MixedNumbers = std::is_arithmetic_v<A> && std::is_arithmetic_v<B> && !std::is_same_v<A, B>;
}
template <class A, class B>
  requires simt::MixedNumbers<A, B>
constexpr SIMT_INLINE auto min(A a, B b) {
  return min(static_cast<std::common_type_t<A, B>>(a), static_cast<std::common_type_t<A, B>>(b));
}
template <class A, class B>
  requires simt::MixedNumbers<A, B>
constexpr SIMT_INLINE auto max(A a, B b) {
  return max(static_cast<std::common_type_t<A, B>>(a), static_cast<std::common_type_t<A, B>>(b));
}

// With C linkage and noexcept because glibc declares some of these names: newer ones for C23
// (rsqrt, sinpi), all of them as its own aliases (__expf).
#define SIMT_UNARY(name)               \
  double name(double x) noexcept;      \
  float name##f(float x) noexcept;
extern "C" {
SIMT_UNARY(rsqrt)
SIMT_UNARY(rcbrt)
SIMT_UNARY(sinpi)
SIMT_UNARY(cospi)
SIMT_UNARY(tanpi)
SIMT_UNARY(erfinv)
SIMT_UNARY(erfcinv)
SIMT_UNARY(erfcx)
SIMT_UNARY(normcdf)
SIMT_UNARY(normcdfinv)
double rhypot(double x, double y) noexcept;
float rhypotf(float x, float y) noexcept;
double norm3d(double x, double y, double z) noexcept;
float norm3df(float x, float y, float z) noexcept;
double rnorm3d(double x, double y, double z) noexcept;
float rnorm3df(float x, float y, float z) noexcept;
double norm4d(double x, double y, double z, double w) noexcept;
float norm4df(float x, float y, float z, float w) noexcept;
void sincospi(double x, double* sine, double* cosine) noexcept;
void sincospif(float x, float* sine, float* cosine) noexcept;

// The fast forms are as accurate as the others here; a device's have errors of a few units.
float __sinf(float x) noexcept;
float __cosf(float x) noexcept;
float __tanf(float x) noexcept;
float __expf(float x) noexcept;
float __exp10f(float x) noexcept;
float __logf(float x) noexcept;
float __log2f(float x) noexcept;
float __log10f(float x) noexcept;
float __powf(float x, float y) noexcept;
float __tanhf(float x) noexcept;
void __sincosf(float x, float* sine, float* cosine) noexcept;
}
#undef SIMT_UNARY

// Overloads for float, as <cmath> has for its own functions.
SIMT_INLINE float rsqrt(float x) { return rsqrtf(x); }
SIMT_INLINE float rcbrt(float x) { return rcbrtf(x); }
SIMT_INLINE float sinpi(float x) { return sinpif(x); }
SIMT_INLINE float cospi(float x) { return cospif(x); }
SIMT_INLINE float normcdf(float x) { return normcdff(x); }
SIMT_INLINE float erfinv(float x) { return erfinvf(x); }

SIMT_INLINE float fdividef(float x, float y) { return x / y; }
SIMT_INLINE double fdivide(double x, double y) { return x / y; }
SIMT_INLINE float __fdividef(float x, float y) { return x / y; }
SIMT_INLINE float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }  // NaN becomes 0

SIMT_INLINE void __builtin_assume(bool) {}
