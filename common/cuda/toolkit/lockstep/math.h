// SPDX-License-Identifier: MIT
// Mathematics in kernels, as overloads for the device of what <math.h> and <cmath> declare for the
// host. Before these headers, so that <cmath> takes the overloads into namespace std, too.
#pragma once

#include "lockstep/keywords.h"
#include "lockstep/machine_calls.h"

#ifdef __CUDA__

#define LOCKSTEP_UNARY(name)                                                 \
  LOCKSTEP_DEVICE double name(double x) { return __lockstep_##name(x); }     \
  LOCKSTEP_DEVICE float name##f(float x) { return __lockstep_##name##f(x); } \
  LOCKSTEP_DEVICE float name(float x) { return __lockstep_##name##f(x); }
#define LOCKSTEP_BINARY(name)                                                            \
  LOCKSTEP_DEVICE double name(double x, double y) { return __lockstep_##name(x, y); }    \
  LOCKSTEP_DEVICE float name##f(float x, float y) { return __lockstep_##name##f(x, y); } \
  LOCKSTEP_DEVICE float name(float x, float y) { return __lockstep_##name##f(x, y); }
#include "lockstep/math_calls.inc"
#undef LOCKSTEP_UNARY
#undef LOCKSTEP_BINARY

// What is an instruction, or a few. When clang compiles for the device these are one function with
// the host's, as with nvcc, so that a kernel's template can have them as arguments: reduce<fminf>.
#ifdef __CUDA_ARCH__
#define LOCKSTEP_MATH extern "C" LOCKSTEP_INLINE
#else
#define LOCKSTEP_MATH LOCKSTEP_DEVICE
#endif
#define LOCKSTEP_UNARY(name, of_double, of_float)                    \
  LOCKSTEP_MATH double name(double x) noexcept { return of_double; } \
  LOCKSTEP_MATH float name##f(float x) noexcept { return of_float; } \
  LOCKSTEP_DEVICE float name(float x) { return of_float; }
#define LOCKSTEP_BINARY(name, of_double, of_float)                             \
  LOCKSTEP_MATH double name(double x, double y) noexcept { return of_double; } \
  LOCKSTEP_MATH float name##f(float x, float y) noexcept { return of_float; }  \
  LOCKSTEP_DEVICE float name(float x, float y) { return of_float; }
LOCKSTEP_UNARY(fabs, __builtin_fabs(x), __builtin_fabsf(x))
LOCKSTEP_UNARY(floor, __builtin_floor(x), __builtin_floorf(x))
LOCKSTEP_UNARY(ceil, __builtin_ceil(x), __builtin_ceilf(x))
LOCKSTEP_UNARY(trunc, __builtin_trunc(x), __builtin_truncf(x))
LOCKSTEP_UNARY(rint, __builtin_rint(x), __builtin_rintf(x))
LOCKSTEP_UNARY(nearbyint, __builtin_nearbyint(x), __builtin_nearbyintf(x))
LOCKSTEP_UNARY(round, __builtin_round(x), __builtin_roundf(x))
LOCKSTEP_UNARY(sqrt, __nvvm_sqrt_rn_d(x), __nvvm_sqrt_rn_f(x))
LOCKSTEP_BINARY(fmin, __builtin_fmin(x, y), __builtin_fminf(x, y))
LOCKSTEP_BINARY(fmax, __builtin_fmax(x, y), __builtin_fmaxf(x, y))
LOCKSTEP_BINARY(copysign, __builtin_copysign(x, y), __builtin_copysignf(x, y))
LOCKSTEP_BINARY(fdim, x <= y ? 0 : x - y, x <= y ? 0 : x - y)
#undef LOCKSTEP_UNARY
#undef LOCKSTEP_BINARY

LOCKSTEP_MATH double fma(double x, double y, double z) noexcept { return __nvvm_fma_rn_d(x, y, z); }
LOCKSTEP_MATH float fmaf(float x, float y, float z) noexcept { return __nvvm_fma_rn_f(x, y, z); }
LOCKSTEP_DEVICE float fma(float x, float y, float z) { return __nvvm_fma_rn_f(x, y, z); }
#undef LOCKSTEP_MATH

LOCKSTEP_DEVICE double rsqrt(double x) { return __nvvm_rsqrt_approx_d(x); }
LOCKSTEP_DEVICE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
LOCKSTEP_DEVICE float rsqrt(float x) { return __nvvm_rsqrt_approx_f(x); }
LOCKSTEP_DEVICE double rhypot(double x, double y) { return 1 / hypot(x, y); }
LOCKSTEP_DEVICE float rhypotf(float x, float y) { return 1 / hypotf(x, y); }
LOCKSTEP_DEVICE float rhypot(float x, float y) { return 1 / hypotf(x, y); }

LOCKSTEP_DEVICE int abs(int x) { return x < 0 ? -x : x; }
LOCKSTEP_DEVICE long abs(long x) { return x < 0 ? -x : x; }
LOCKSTEP_DEVICE long long abs(long long x) { return x < 0 ? -x : x; }
LOCKSTEP_DEVICE long labs(long x) { return x < 0 ? -x : x; }
LOCKSTEP_DEVICE long long llabs(long long x) { return x < 0 ? -x : x; }
LOCKSTEP_DEVICE float abs(float x) { return __builtin_fabsf(x); }
LOCKSTEP_DEVICE double abs(double x) { return __builtin_fabs(x); }

// Rounded to integers; halfway cases away from zero (round) or to even (rint).
#define LOCKSTEP_TO_INTEGER(name, type, rounded)                                                 \
  LOCKSTEP_DEVICE type name(double x) { return static_cast<type>(__builtin_##rounded(x)); }      \
  LOCKSTEP_DEVICE type name##f(float x) { return static_cast<type>(__builtin_##rounded##f(x)); } \
  LOCKSTEP_DEVICE type name(float x) { return name##f(x); }
LOCKSTEP_TO_INTEGER(lround, long, round)
LOCKSTEP_TO_INTEGER(llround, long long, round)
LOCKSTEP_TO_INTEGER(lrint, long, rint)
LOCKSTEP_TO_INTEGER(llrint, long long, rint)
#undef LOCKSTEP_TO_INTEGER

LOCKSTEP_DEVICE void sincos(double x, double* sine, double* cosine) {
  *sine = sin(x);
  *cosine = cos(x);
}
LOCKSTEP_DEVICE void sincosf(float x, float* sine, float* cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}
LOCKSTEP_DEVICE void sincos(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
LOCKSTEP_DEVICE void sincospi(double x, double* sine, double* cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
LOCKSTEP_DEVICE void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
LOCKSTEP_DEVICE void sincospi(float x, float* sine, float* cosine) { sincospif(x, sine, cosine); }

// Scaling by powers of two.
LOCKSTEP_DEVICE double ldexp(double x, int exponent) { return __lockstep_ldexp(x, exponent); }
LOCKSTEP_DEVICE float ldexpf(float x, int exponent) { return __lockstep_ldexpf(x, exponent); }
LOCKSTEP_DEVICE float ldexp(float x, int exponent) { return __lockstep_ldexpf(x, exponent); }
LOCKSTEP_DEVICE double scalbn(double x, int exponent) { return __lockstep_ldexp(x, exponent); }
LOCKSTEP_DEVICE float scalbnf(float x, int exponent) { return __lockstep_ldexpf(x, exponent); }
LOCKSTEP_DEVICE float scalbn(float x, int exponent) { return __lockstep_ldexpf(x, exponent); }
#define LOCKSTEP_SCALE(type, name, scale)                                \
  LOCKSTEP_DEVICE type name(type x, long exponent) {                     \
    const long limit = 100000; /* far more than any number's exponent */ \
    return scale(x, static_cast<int>(exponent > limit    ? limit         \
                                     : exponent < -limit ? -limit        \
                                                         : exponent));   \
  }
LOCKSTEP_SCALE(double, scalbln, __lockstep_ldexp)
LOCKSTEP_SCALE(float, scalblnf, __lockstep_ldexpf)
LOCKSTEP_SCALE(float, scalbln, __lockstep_ldexpf)
#undef LOCKSTEP_SCALE

// Exponents: of a number in [1, 2) it is 0 for ilogb, 1 for frexp.
LOCKSTEP_DEVICE int ilogb(double x) {
  if (x == 0 || x != x) return -2147483647 - 1;
  return __builtin_isinf(x) ? 2147483647 : static_cast<int>(logb(x));
}
LOCKSTEP_DEVICE int ilogbf(float x) { return ilogb(static_cast<double>(x)); }
LOCKSTEP_DEVICE int ilogb(float x) { return ilogbf(x); }
LOCKSTEP_DEVICE double frexp(double x, int* exponent) {
  const bool has_exponent = x != 0 && __builtin_isfinite(x);
  *exponent = has_exponent ? static_cast<int>(logb(x)) + 1 : 0;
  return has_exponent ? __lockstep_ldexp(x, -*exponent) : x;
}
LOCKSTEP_DEVICE float frexpf(float x, int* exponent) {
  return static_cast<float>(frexp(static_cast<double>(x), exponent));
}
LOCKSTEP_DEVICE float frexp(float x, int* exponent) { return frexpf(x, exponent); }

LOCKSTEP_DEVICE double modf(double x, double* whole) {
  *whole = trunc(x);
  return copysign(__builtin_isinf(x) ? 0 : x - *whole, x);
}
LOCKSTEP_DEVICE float modff(float x, float* whole) {
  *whole = truncf(x);
  return copysignf(__builtin_isinf(x) ? 0 : x - *whole, x);
}
LOCKSTEP_DEVICE float modf(float x, float* whole) { return modff(x, whole); }
// *quotient: the last bits of the rounded x / y, with its sign.
LOCKSTEP_DEVICE double remquo(double x, double y, int* quotient) {
  const double rest = remainder(x, y);
  const double fourth = fmod(x - rest, 8 * y) / y;
  *quotient = static_cast<int>(rint(fourth));
  return rest;
}
LOCKSTEP_DEVICE float remquof(float x, float y, int* quotient) {
  return static_cast<float>(remquo(static_cast<double>(x), static_cast<double>(y), quotient));
}
LOCKSTEP_DEVICE float remquo(float x, float y, int* quotient) { return remquof(x, y, quotient); }
LOCKSTEP_DEVICE double nan(const char*) { return __builtin_nan(""); }
LOCKSTEP_DEVICE float nanf(const char*) { return __builtin_nanf(""); }

// Lengths of vectors, and their inverses.
LOCKSTEP_DEVICE double norm3d(double x, double y, double z) { return __lockstep_norm3d(x, y, z); }
LOCKSTEP_DEVICE float norm3df(float x, float y, float z) { return __lockstep_norm3df(x, y, z); }
LOCKSTEP_DEVICE double rnorm3d(double x, double y, double z) { return 1 / norm3d(x, y, z); }
LOCKSTEP_DEVICE float rnorm3df(float x, float y, float z) { return 1 / norm3df(x, y, z); }
LOCKSTEP_DEVICE double norm4d(double x, double y, double z, double w) {
  return __lockstep_norm4d(x, y, z, w);
}
LOCKSTEP_DEVICE float norm4df(float x, float y, float z, float w) {
  return __lockstep_norm4df(x, y, z, w);
}
LOCKSTEP_DEVICE double rnorm4d(double x, double y, double z, double w) {
  return 1 / norm4d(x, y, z, w);
}
LOCKSTEP_DEVICE float rnorm4df(float x, float y, float z, float w) {
  return 1 / norm4df(x, y, z, w);
}
LOCKSTEP_DEVICE double norm(int num_dimensions, const double* components) {
  double length = 0;
  for (int i = 0; i < num_dimensions; ++i) length = hypot(length, components[i]);
  return length;
}
LOCKSTEP_DEVICE double rnorm(int num_dimensions, const double* components) {
  return 1 / norm(num_dimensions, components);
}
LOCKSTEP_DEVICE float normf(int num_dimensions, const float* components) {
  double length = 0;
  for (int i = 0; i < num_dimensions; ++i) {
    length = hypot(length, static_cast<double>(components[i]));
  }
  return static_cast<float>(length);
}
LOCKSTEP_DEVICE float rnormf(int num_dimensions, const float* components) {
  return 1 / normf(num_dimensions, components);
}
LOCKSTEP_DEVICE double jn(int n, double x) { return __lockstep_jn(n, x); }
LOCKSTEP_DEVICE float jnf(int n, float x) { return __lockstep_jnf(n, x); }
LOCKSTEP_DEVICE double yn(int n, double x) { return __lockstep_yn(n, x); }
LOCKSTEP_DEVICE float ynf(int n, float x) { return __lockstep_ynf(n, x); }

#endif

// min and max as functions, so that they win over std::min with `using namespace std`, for the
// pairs of types that CUDA has them for; others are ambiguous, as with nvcc. For the host, too.
#define LOCKSTEP_MIN_MAX(type, type_a, type_b)                                 \
  constexpr LOCKSTEP_INLINE type min(type_a a, type_b b) {                     \
    return static_cast<type>(b) < static_cast<type>(a) ? static_cast<type>(b)  \
                                                       : static_cast<type>(a); \
  }                                                                            \
  constexpr LOCKSTEP_INLINE type max(type_a a, type_b b) {                     \
    return static_cast<type>(a) < static_cast<type>(b) ? static_cast<type>(b)  \
                                                       : static_cast<type>(a); \
  }
#define LOCKSTEP_MIN_MAX_OF_INTEGERS(type)                      \
  LOCKSTEP_MIN_MAX(type, type, type)                            \
  LOCKSTEP_MIN_MAX(unsigned type, unsigned type, unsigned type) \
  LOCKSTEP_MIN_MAX(unsigned type, type, unsigned type)          \
  LOCKSTEP_MIN_MAX(unsigned type, unsigned type, type)
LOCKSTEP_MIN_MAX_OF_INTEGERS(int)
LOCKSTEP_MIN_MAX_OF_INTEGERS(long)
LOCKSTEP_MIN_MAX_OF_INTEGERS(long long)
#undef LOCKSTEP_MIN_MAX_OF_INTEGERS
#undef LOCKSTEP_MIN_MAX
constexpr LOCKSTEP_INLINE unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
constexpr LOCKSTEP_INLINE unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
constexpr LOCKSTEP_INLINE long long llmin(long long a, long long b) { return min(a, b); }
constexpr LOCKSTEP_INLINE long long llmax(long long a, long long b) { return max(a, b); }
constexpr LOCKSTEP_INLINE unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return min(a, b);
}
constexpr LOCKSTEP_INLINE unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return max(a, b);
}
// A NaN gives way to a number.
#define LOCKSTEP_MIN_MAX(type, type_a, type_b, suffix)                                  \
  LOCKSTEP_INLINE type min(type_a a, type_b b) { return __builtin_fmin##suffix(a, b); } \
  LOCKSTEP_INLINE type max(type_a a, type_b b) { return __builtin_fmax##suffix(a, b); }
LOCKSTEP_MIN_MAX(float, float, float, f)
LOCKSTEP_MIN_MAX(double, double, double, )
LOCKSTEP_MIN_MAX(double, float, double, )
LOCKSTEP_MIN_MAX(double, double, float, )
#undef LOCKSTEP_MIN_MAX
