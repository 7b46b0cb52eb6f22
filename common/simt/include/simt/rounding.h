// SPDX-License-Identifier: MIT
// Arithmetic and conversions with a stated rounding: _rn to nearest
// even, _rz to zero, _ru up, _rd down.
#pragma once

#include <cmath>
#include <type_traits>

#include "simt/keywords.h"

namespace simt {

enum class Rounding { kNearest, kZero, kUp, kDown };

float add(Rounding rounding, float a, float b);
float multiply(Rounding rounding, float a, float b);
float divide(Rounding rounding, float a, float b);
float square_root(Rounding rounding, float a);
float multiply_add(Rounding rounding, float a, float b, float c);
double add(Rounding rounding, double a, double b);
double multiply(Rounding rounding, double a, double b);
double divide(Rounding rounding, double a, double b);
double square_root(Rounding rounding, double a);
double multiply_add(Rounding rounding, double a, double b, double c);
float to_float(Rounding rounding, double value);
float to_float(Rounding rounding, long long value);
float to_float(Rounding rounding, unsigned long long value);
double to_double(Rounding rounding, long long value);
double to_double(Rounding rounding, unsigned long long value);

// Rounds to an integer as hardware does: values out of range give the nearest limit, NaN gives 0,
// or the sign bit alone where the result has 64 bits.
template <class Integer>
Integer to_integer(Rounding rounding, double value);
extern template int to_integer<int>(Rounding, double);
extern template unsigned to_integer<unsigned>(Rounding, double);
extern template long long to_integer<long long>(Rounding, double);
extern template unsigned long long to_integer<unsigned long long>(Rounding, double);

}  // namespace simt

#define SIMT_ROUNDED(suffix, rounding)                              \
  SIMT_INLINE float __fadd_##suffix(float a, float b) {             \
    return simt::add(simt::Rounding::rounding, a, b);               \
  }                                                                 \
  SIMT_INLINE float __fsub_##suffix(float a, float b) {             \
    return simt::add(simt::Rounding::rounding, a, -b);              \
  }                                                                 \
  SIMT_INLINE float __fmul_##suffix(float a, float b) {             \
    return simt::multiply(simt::Rounding::rounding, a, b);          \
  }                                                                 \
  SIMT_INLINE float __fdiv_##suffix(float a, float b) {             \
    return simt::divide(simt::Rounding::rounding, a, b);            \
  }                                                                 \
  SIMT_INLINE float __frcp_##suffix(float a) {                      \
    return simt::divide(simt::Rounding::rounding, 1.0f, a);         \
  }                                                                 \
  SIMT_INLINE float __fsqrt_##suffix(float a) {                     \
    return simt::square_root(simt::Rounding::rounding, a);          \
  }                                                                 \
  SIMT_INLINE float __fmaf_##suffix(float a, float b, float c) {    \
    return simt::multiply_add(simt::Rounding::rounding, a, b, c);   \
  }                                                                 \
  SIMT_INLINE double __dadd_##suffix(double a, double b) {          \
    return simt::add(simt::Rounding::rounding, a, b);               \
  }                                                                 \
  SIMT_INLINE double __dsub_##suffix(double a, double b) {          \
    return simt::add(simt::Rounding::rounding, a, -b);              \
  }                                                                 \
  SIMT_INLINE double __dmul_##suffix(double a, double b) {          \
    return simt::multiply(simt::Rounding::rounding, a, b);          \
  }                                                                 \
  SIMT_INLINE double __ddiv_##suffix(double a, double b) {          \
    return simt::divide(simt::Rounding::rounding, a, b);            \
  }                                                                 \
  SIMT_INLINE double __drcp_##suffix(double a) {                    \
    return simt::divide(simt::Rounding::rounding, 1.0, a);          \
  }                                                                 \
  SIMT_INLINE double __dsqrt_##suffix(double a) {                   \
    return simt::square_root(simt::Rounding::rounding, a);          \
  }                                                                 \
  SIMT_INLINE double __fma_##suffix(double a, double b, double c) { \
    return simt::multiply_add(simt::Rounding::rounding, a, b, c);   \
  }                                                                 \
  SIMT_INLINE float __double2float_##suffix(double x) {             \
    return simt::to_float(simt::Rounding::rounding, x);             \
  }                                                                 \
  SIMT_CONVERSIONS(int, int, suffix, rounding)                      \
  SIMT_CONVERSIONS(uint, unsigned, suffix, rounding)                \
  SIMT_CONVERSIONS(ll, long long, suffix, rounding)                 \
  SIMT_CONVERSIONS(ull, unsigned long long, suffix, rounding)

// A float is a double exactly, and so is a 32-bit integer a 64-bit one.
#define SIMT_CONVERSIONS(name, type, suffix, rounding)                     \
  SIMT_INLINE type __float2##name##_##suffix(float x) {                    \
    return simt::to_integer<type>(simt::Rounding::rounding, x);            \
  }                                                                        \
  SIMT_INLINE type __double2##name##_##suffix(double x) {                  \
    return simt::to_integer<type>(simt::Rounding::rounding, x);            \
  }                                                                        \
  SIMT_INLINE float __##name##2float_##suffix(type x) {                    \
    return simt::to_float(simt::Rounding::rounding, simt::Wide<type>(x));  \
  }                                                                        \
  SIMT_INLINE double __##name##2double_##suffix(type x) {                  \
    return simt::to_double(simt::Rounding::rounding, simt::Wide<type>(x)); \
  }

namespace simt {
template <class T>
using Wide = std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;
}

SIMT_ROUNDED(rn, kNearest)
SIMT_ROUNDED(rz, kZero)
SIMT_ROUNDED(ru, kUp)
SIMT_ROUNDED(rd, kDown)
#undef SIMT_ROUNDED
#undef SIMT_CONVERSIONS
