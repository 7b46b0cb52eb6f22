// SPDX-License-Identifier: MIT
// Mathematics that CUDA has beyond <cmath>. The heavy functions are out of line, in the
// uninstrumented library, where the hooks see nothing of a kernel's calls.
#pragma once

#include <math.h>

#include <cmath>

#include "simt/keywords.h"
#include "simt/rounding.h"

// min and max as functions, so that they win over std::min with `using namespace std`, for the
// pairs of types that CUDA has them for; others are ambiguous, as with nvcc.
#define SIMT_MIN_MAX(type, type_a, type_b)                                     \
  constexpr SIMT_INLINE type min(type_a a, type_b b) {                         \
    return static_cast<type>(b) < static_cast<type>(a) ? static_cast<type>(b)  \
                                                       : static_cast<type>(a); \
  }                                                                            \
  constexpr SIMT_INLINE type max(type_a a, type_b b) {                         \
    return static_cast<type>(a) < static_cast<type>(b) ? static_cast<type>(b)  \
                                                       : static_cast<type>(a); \
  }
#define SIMT_MIN_MAX_OF_INTEGERS(type)                      \
  SIMT_MIN_MAX(type, type, type)                            \
  SIMT_MIN_MAX(unsigned type, unsigned type, unsigned type) \
  SIMT_MIN_MAX(unsigned type, type, unsigned type)          \
  SIMT_MIN_MAX(unsigned type, unsigned type, type)
SIMT_MIN_MAX_OF_INTEGERS(int)
SIMT_MIN_MAX_OF_INTEGERS(long)
SIMT_MIN_MAX_OF_INTEGERS(long long)
#undef SIMT_MIN_MAX_OF_INTEGERS
#undef SIMT_MIN_MAX
constexpr SIMT_INLINE unsigned umin(unsigned a, unsigned b) { return min(a, b); }
constexpr SIMT_INLINE unsigned umax(unsigned a, unsigned b) { return max(a, b); }
constexpr SIMT_INLINE long long llmin(long long a, long long b) { return min(a, b); }
constexpr SIMT_INLINE long long llmax(long long a, long long b) { return max(a, b); }
constexpr SIMT_INLINE unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return min(a, b);
}
constexpr SIMT_INLINE unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return max(a, b);
}
SIMT_INLINE float min(float a, float b) { return fminf(a, b); }  // a NaN gives way to a number
SIMT_INLINE float max(float a, float b) { return fmaxf(a, b); }
SIMT_INLINE double min(double a, double b) { return fmin(a, b); }
SIMT_INLINE double max(double a, double b) { return fmax(a, b); }
SIMT_INLINE double min(float a, double b) { return fmin(a, b); }
SIMT_INLINE double max(float a, double b) { return fmax(a, b); }
SIMT_INLINE double min(double a, float b) { return fmin(a, b); }
SIMT_INLINE double max(double a, float b) { return fmax(a, b); }

// With C linkage and noexcept because glibc declares some of these names: newer ones for C23
// (rsqrt, sinpi), all of them as its own aliases (__expf).
#define SIMT_UNARY(name)          \
  double name(double x) noexcept; \
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

SIMT_INLINE float __frsqrt_rn(float x) { return rsqrtf(x); }  // which rounds so

// The length of a vector, and its inverse. They read memory, so they are the kernel's own code.
SIMT_INLINE double norm(int num_dimensions, const double* components) {
  double length = 0;
  for (int i = 0; i < num_dimensions; ++i) length = hypot(length, components[i]);
  return length;
}
SIMT_INLINE double rnorm(int num_dimensions, const double* components) {
  return 1 / norm(num_dimensions, components);
}
SIMT_INLINE float normf(int num_dimensions, const float* components) {
  double length = 0;
  for (int i = 0; i < num_dimensions; ++i) length = hypot(length, double{components[i]});
  return static_cast<float>(length);
}
SIMT_INLINE float rnormf(int num_dimensions, const float* components) {
  double length = 0;
  for (int i = 0; i < num_dimensions; ++i) length = hypot(length, double{components[i]});
  return static_cast<float>(1 / length);
}

SIMT_INLINE float fdividef(float x, float y) { return x / y; }
SIMT_INLINE double fdivide(double x, double y) { return x / y; }
SIMT_INLINE float __fdividef(float x, float y) { return x / y; }
SIMT_INLINE float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }  // NaN becomes 0

#ifndef __clang__  // which has it built in
SIMT_INLINE void __builtin_assume(bool) {}
#endif
