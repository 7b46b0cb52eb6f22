// SPDX-License-Identifier: MIT
#include "run/special_functions.h"

#include <cmath>
#include <limits>

namespace run::special {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kSqrt2 = 1.41421356237309504880;
constexpr double kSqrtPi = 1.77245385090551602730;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// exp(x^2) erfc(x): directly where erfc does not underflow, else by its continued fraction.
double scaled_erfc(double x) {
  if (x < 25) return std::exp(x * x) * std::erfc(x);
  double fraction = 0;
  for (int k = 60; k >= 1; --k) fraction = k / 2.0 / (x + fraction);
  return 1 / (x + fraction) / kSqrtPi;
}

// Newton's steps from Winitzki's estimate ("A handy approximation for the error function", 2008).
double inverse_erfc(double y) {
  if (!(y > 0 && y < 2)) return y == 0 ? kInfinity : y == 2 ? -kInfinity : kNaN;
  const double z = 1 - y;
  constexpr double kA = 0.147;
  const double log_term = std::log(y * (2 - y));
  const double t = 2 / (kPi * kA) + log_term / 2;
  double x = std::copysign(std::sqrt(std::sqrt(t * t - log_term / kA) - t), z);
  for (int i = 0; i < 4; ++i) {
    const double error = std::erfc(x) - y;
    const double slope = -2 / kSqrtPi * std::exp(-x * x);
    if (slope == 0) break;
    x -= error / (slope - x * error);  // Halley's
  }
  return x;
}

double inverse_erf(double y) {
  if (std::fabs(y) < 1e-8) return y * kSqrtPi / 2;
  if (!(std::fabs(y) <= 1)) return kNaN;
  if (y == 0) return y;
  return inverse_erfc(1 - y);
}

double sine_of_pi(double x) {
  const double r = std::remainder(x, 2.0);
  if (r == 0 || std::fabs(r) == 1) return std::copysign(0.0, x);
  return std::fabs(r) > 0.5 ? std::sin(kPi * (std::copysign(1.0, r) - r)) : std::sin(kPi * r);
}
double cosine_of_pi(double x) {
  const double r = std::fabs(std::remainder(x, 2.0));
  if (r == 0.5) return 0;
  return r > 0.5 ? -std::cos(kPi * (1 - r)) : std::cos(kPi * r);
}

}  // namespace

// clang-format off
#define RUN_LIBRARY_UNARY(name)               \
  double name(double x) { return ::name(x); } \
  float name##f(float x) { return static_cast<float>(::name(static_cast<double>(x))); }
#define RUN_LIBRARY_BINARY(name)                                                       \
  double name(double x, double y) { return ::name(x, y); }                             \
  float name##f(float x, float y) {                                                    \
    return static_cast<float>(::name(static_cast<double>(x), static_cast<double>(y))); \
  }
#define RUN_OWN_UNARY(name, value)        \
  double name(double x) { return value; } \
  float name##f(float x_) {               \
    const double x = x_;                  \
    return static_cast<float>(value);     \
  }

RUN_LIBRARY_UNARY(sin)
RUN_LIBRARY_UNARY(cos)
RUN_LIBRARY_UNARY(tan)
RUN_LIBRARY_UNARY(asin)
RUN_LIBRARY_UNARY(acos)
RUN_LIBRARY_UNARY(atan)
RUN_LIBRARY_UNARY(sinh)
RUN_LIBRARY_UNARY(cosh)
RUN_LIBRARY_UNARY(tanh) RUN_LIBRARY_UNARY(asinh) RUN_LIBRARY_UNARY(acosh) RUN_LIBRARY_UNARY(atanh)
    RUN_LIBRARY_UNARY(exp) RUN_LIBRARY_UNARY(exp2) RUN_LIBRARY_UNARY(expm1) RUN_LIBRARY_UNARY(log)
        RUN_LIBRARY_UNARY(log2) RUN_LIBRARY_UNARY(log10) RUN_LIBRARY_UNARY(log1p) RUN_LIBRARY_UNARY(
            logb) RUN_LIBRARY_UNARY(cbrt) RUN_LIBRARY_UNARY(erf) RUN_LIBRARY_UNARY(erfc)
            RUN_LIBRARY_UNARY(lgamma) RUN_LIBRARY_UNARY(tgamma) RUN_LIBRARY_UNARY(j0)
                RUN_LIBRARY_UNARY(j1) RUN_LIBRARY_UNARY(y0) RUN_LIBRARY_UNARY(y1)

                    RUN_OWN_UNARY(exp10, std::pow(10.0, x)) RUN_OWN_UNARY(rcbrt, 1 / std::cbrt(x))
                        RUN_OWN_UNARY(erfcx, scaled_erfc(x)) RUN_OWN_UNARY(erfinv, inverse_erf(x))
                            RUN_OWN_UNARY(erfcinv, inverse_erfc(x))
                                RUN_OWN_UNARY(normcdf, std::erfc(-x / kSqrt2) / 2)
                                    RUN_OWN_UNARY(normcdfinv, -kSqrt2* inverse_erfc(2 * x))
                                        RUN_OWN_UNARY(sinpi, sine_of_pi(x))
                                            RUN_OWN_UNARY(cospi, cosine_of_pi(x))
                                                RUN_OWN_UNARY(tanpi,
                                                              sine_of_pi(x) / cosine_of_pi(x))

                                                    RUN_LIBRARY_BINARY(pow)
                                                        RUN_LIBRARY_BINARY(atan2)
                                                            RUN_LIBRARY_BINARY(fmod)
                                                                RUN_LIBRARY_BINARY(remainder)
                                                                    RUN_LIBRARY_BINARY(hypot)

                                                                        double nextafter(double x,
                                                                                         double y) {
  return std::nextafter(x, y);
}
float nextafterf(float x, float y) { return std::nextafter(x, y); }
// clang-format on

}  // namespace run::special
