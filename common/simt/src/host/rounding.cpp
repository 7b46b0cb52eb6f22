// SPDX-License-Identifier: MIT
#include "simt/rounding.h"

#include <cfenv>
#include <limits>

namespace simt {
namespace {

int mode_of(Rounding rounding) {
  switch (rounding) {
    case Rounding::kZero:
      return FE_TOWARDZERO;
    case Rounding::kUp:
      return FE_UPWARD;
    case Rounding::kDown:
      return FE_DOWNWARD;
    case Rounding::kNearest:
      break;
  }
  return FE_TONEAREST;
}

// Evaluates `operation` under `rounding`. It must read a volatile operand: with the volatile result
// that keeps it between the two switches, where a compiler would be free to move plain arithmetic.
template <class Operation>
auto rounded(Rounding rounding, Operation operation) {
  if (rounding == Rounding::kNearest) return operation();
  std::fesetround(mode_of(rounding));
  const volatile auto result = operation();
  std::fesetround(FE_TONEAREST);
  return static_cast<decltype(operation())>(result);
}

template <class To, class From>
To converted(Rounding rounding, From value) {
  volatile From operand = value;
  return rounded(rounding, [&] { return static_cast<To>(operand); });
}

double round_to_integral(Rounding rounding, double value) {
  switch (rounding) {
    case Rounding::kZero:
      return std::trunc(value);
    case Rounding::kUp:
      return std::ceil(value);
    case Rounding::kDown:
      return std::floor(value);
    case Rounding::kNearest:
      break;
  }
  return std::nearbyint(value);
}

}  // namespace

#define SIMT_OPERATIONS(type, fma, sqrt)                         \
  type add(Rounding rounding, type a, type b) {                  \
    volatile type x = a;                                         \
    return rounded(rounding, [&] { return x + b; });             \
  }                                                              \
  type multiply(Rounding rounding, type a, type b) {             \
    volatile type x = a;                                         \
    return rounded(rounding, [&] { return x * b; });             \
  }                                                              \
  type divide(Rounding rounding, type a, type b) {               \
    volatile type x = a;                                         \
    return rounded(rounding, [&] { return x / b; });             \
  }                                                              \
  type square_root(Rounding rounding, type a) {                  \
    volatile type x = a;                                         \
    return rounded(rounding, [&] { return sqrt(x); });           \
  }                                                              \
  type multiply_add(Rounding rounding, type a, type b, type c) { \
    volatile type x = a;                                         \
    return rounded(rounding, [&] { return fma(x, b, c); });      \
  }
SIMT_OPERATIONS(float, fmaf, sqrtf)
SIMT_OPERATIONS(double, fma, sqrt)
#undef SIMT_OPERATIONS

float to_float(Rounding rounding, double value) { return converted<float>(rounding, value); }
float to_float(Rounding rounding, long long value) { return converted<float>(rounding, value); }
float to_float(Rounding rounding, unsigned long long value) {
  return converted<float>(rounding, value);
}
double to_double(Rounding rounding, long long value) { return converted<double>(rounding, value); }
double to_double(Rounding rounding, unsigned long long value) {
  return converted<double>(rounding, value);
}

template <class Integer>
Integer to_integer(Rounding rounding, double value) {
  using Limits = std::numeric_limits<Integer>;
  if (std::isnan(value)) return sizeof(Integer) == 8 ? Integer{1} << 63 : 0;
  const double whole = round_to_integral(rounding, value);
  if (whole <= static_cast<double>(Limits::min())) return Limits::min();
  // 2^31 and so on: the first value beyond the type, which a double holds exactly.
  if (whole >= std::ldexp(1.0, Limits::digits)) return Limits::max();
  return static_cast<Integer>(whole);
}
template int to_integer<int>(Rounding, double);
template unsigned to_integer<unsigned>(Rounding, double);
template long long to_integer<long long>(Rounding, double);
template unsigned long long to_integer<unsigned long long>(Rounding, double);

}  // namespace simt
