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

// What is an instruction, or a few.
#define LOCKSTEP_UNARY(name, of_double, of_float)             \
  LOCKSTEP_DEVICE double name(double x) { return of_double; } \
  LOCKSTEP_DEVICE float name##f(float x) { return of_float; } \
  LOCKSTEP_DEVICE float name(float x) { return of_float; }
#define LOCKSTEP_BINARY(name, of_double, of_float)                      \
  LOCKSTEP_DEVICE double name(double x, double y) { return of_double; } \
  LOCKSTEP_DEVICE float name##f(float x, float y) { return of_float; }  \
  LOCKSTEP_DEVICE float name(float x, float y) { return of_float; }
LOCKSTEP_UNARY(fabs, __builtin_fabs(x), __builtin_fabsf(x))
LOCKSTEP_UNARY(floor, __builtin_floor(x), __builtin_floorf(x))
LOCKSTEP_UNARY(ceil, __builtin_ceil(x), __builtin_ceilf(x))
LOCKSTEP_UNARY(trunc, __builtin_trunc(x), __builtin_truncf(x))
LOCKSTEP_UNARY(rint, __builtin_rint(x), __builtin_rintf(x))
LOCKSTEP_UNARY(nearbyint, __builtin_nearbyint(x), __builtin_nearbyintf(x))
LOCKSTEP_UNARY(round, __builtin_round(x), __builtin_roundf(x))
LOCKSTEP_UNARY(sqrt, __nvvm_sqrt_rn_d(x), __nvvm_sqrt_rn_f(x))
LOCKSTEP_UNARY(rsqrt, __nvvm_rsqrt_approx_d(x), __nvvm_rsqrt_approx_f(x))
LOCKSTEP_BINARY(fmin, __builtin_fmin(x, y), __builtin_fminf(x, y))
LOCKSTEP_BINARY(fmax, __builtin_fmax(x, y), __builtin_fmaxf(x, y))
LOCKSTEP_BINARY(copysign, __builtin_copysign(x, y), __builtin_copysignf(x, y))
LOCKSTEP_BINARY(fdim, x <= y ? 0 : x - y, x <= y ? 0 : x - y)
LOCKSTEP_BINARY(rhypot, 1 / hypot(x, y), 1 / hypotf(x, y))
#undef LOCKSTEP_UNARY
#undef LOCKSTEP_BINARY

LOCKSTEP_DEVICE double fma(double x, double y, double z) { return __nvvm_fma_rn_d(x, y, z); }
LOCKSTEP_DEVICE float fmaf(float x, float y, float z) { return __nvvm_fma_rn_f(x, y, z); }
LOCKSTEP_DEVICE float fma(float x, float y, float z) { return __nvvm_fma_rn_f(x, y, z); }

LOCKSTEP_DEVICE int abs(int x) { return x < 0 ? -x : x; }
LOCKSTEP_DEVICE long abs(long x) { return x < 0 ? -x : x; }
LOCKSTEP_DEVICE long long abs(long long x) { return x < 0 ? -x : x; }
LOCKSTEP_DEVICE long labs(long x) { return x < 0 ? -x : x; }
LOCKSTEP_DEVICE long long llabs(long long x) { return x < 0 ? -x : x; }
LOCKSTEP_DEVICE float abs(float x) { return __builtin_fabsf(x); }
LOCKSTEP_DEVICE double abs(double x) { return __builtin_fabs(x); }

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
