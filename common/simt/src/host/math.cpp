// SPDX-License-Identifier: MIT
#include "simt/math.h"

#include <limits>
#include <numbers>

namespace {

// Half-integers and integers must give exact zeros and ones, so the argument is reduced first, to
// [-1, 1], without an error.
double reduced(double x) { return x - 2 * std::nearbyint(x / 2); }

double sine_of_pi(double x) {
  double r = reduced(x);
  if (r > 0.5) r = 1 - r;
  if (r < -0.5) r = -1 - r;
  if (r == 0) return std::copysign(0.0, x);
  return std::sin(std::numbers::pi * r);
}

double cosine_of_pi(double x) {
  const double r = std::fabs(reduced(x));
  if (r == 0.5) return 0;
  return r < 0.25 ? std::cos(std::numbers::pi * r) : sine_of_pi(0.5 - r);
}

// Halley's steps towards f(x) = target, for f = erf (sign 1) or erfc (sign -1) with slope
// sign * 2 / sqrt(pi) * exp(-x^2).
template <class Function>
double solve(Function f, double sign, double target, double x) {
  for (int step = 0; step < 8; ++step) {
    const double slope = sign * 2 * std::numbers::inv_sqrtpi * std::exp(-x * x);
    const double newton = (f(x) - target) / slope;
    const double next = x - newton / (1 + x * newton);
    if (!std::isfinite(next) || next == x) break;
    x = next;
  }
  return x;
}

// erfc is solved where erf is near 1, because it keeps its relative accuracy there.
double inverse_erfc(double y) {
  if (!(y >= 0 && y <= 2)) return std::numeric_limits<double>::quiet_NaN();
  if (y == 0) return std::numeric_limits<double>::infinity();
  if (y > 1) return -inverse_erfc(2 - y);
  const double minus_log = -std::log(y);
  const double start = std::sqrt(minus_log - 0.5 * std::log(std::numbers::pi * minus_log + 1));
  return solve([](double x) { return std::erfc(x); }, -1, y, y > 0.5 ? 1 - y : start);
}

double inverse_erf(double y) {
  if (std::fabs(y) > 0.5) return std::copysign(inverse_erfc(1 - std::fabs(y)), y);
  return y == 0 ? y : solve([](double x) { return std::erf(x); }, 1, y, y);
}

// exp(x^2) erfc(x), by its continued fraction where erfc(x) would be too small.
double scaled_erfc(double x) {
  if (x < 10) return std::exp(x * x) * std::erfc(x);
  double fraction = 0;
  for (int k = 40; k >= 1; --k) fraction = k / 2.0 / (x + fraction);
  return 1 / (std::sqrt(std::numbers::pi) * (x + fraction));
}

}  // namespace

// The float forms are evaluated in double and rounded once.
#define SIMT_UNARY(name, expression)                    \
  double name(double x) noexcept { return expression; } \
  float name##f(float x_) noexcept {                    \
    const double x = x_;                                \
    return static_cast<float>(expression);              \
  }

extern "C" {
SIMT_UNARY(rsqrt, 1 / std::sqrt(x))
SIMT_UNARY(rcbrt, 1 / std::cbrt(x))
SIMT_UNARY(sinpi, sine_of_pi(x))
SIMT_UNARY(cospi, cosine_of_pi(x))
SIMT_UNARY(tanpi, sine_of_pi(x) / cosine_of_pi(x))
SIMT_UNARY(erfinv, inverse_erf(x))
SIMT_UNARY(erfcinv, inverse_erfc(x))
SIMT_UNARY(erfcx, scaled_erfc(x))
SIMT_UNARY(normcdf, std::erfc(-x / std::numbers::sqrt2) / 2)
SIMT_UNARY(normcdfinv, -std::numbers::sqrt2* inverse_erfc(2 * x))

double rhypot(double x, double y) noexcept { return 1 / std::hypot(x, y); }
float rhypotf(float x, float y) noexcept { return static_cast<float>(rhypot(x, y)); }
double norm3d(double x, double y, double z) noexcept { return std::hypot(x, y, z); }
float norm3df(float x, float y, float z) noexcept { return static_cast<float>(norm3d(x, y, z)); }
double rnorm3d(double x, double y, double z) noexcept { return 1 / norm3d(x, y, z); }
float rnorm3df(float x, float y, float z) noexcept { return static_cast<float>(rnorm3d(x, y, z)); }
double norm4d(double x, double y, double z, double w) noexcept {
  return std::hypot(std::hypot(x, y), std::hypot(z, w));
}
float norm4df(float x, float y, float z, float w) noexcept {
  return static_cast<float>(norm4d(x, y, z, w));
}
void sincospi(double x, double* sine, double* cosine) noexcept {
  *sine = sine_of_pi(x);
  *cosine = cosine_of_pi(x);
}
void sincospif(float x, float* sine, float* cosine) noexcept {
  *sine = sinpif(x);
  *cosine = cospif(x);
}

float __sinf(float x) noexcept { return std::sin(x); }
float __cosf(float x) noexcept { return std::cos(x); }
float __tanf(float x) noexcept { return std::tan(x); }
float __expf(float x) noexcept { return std::exp(x); }
float __exp10f(float x) noexcept { return exp10f(x); }
float __logf(float x) noexcept { return std::log(x); }
float __log2f(float x) noexcept { return std::log2(x); }
float __log10f(float x) noexcept { return std::log10(x); }
float __powf(float x, float y) noexcept { return std::pow(x, y); }
float __tanhf(float x) noexcept { return std::tanh(x); }
void __sincosf(float x, float* sine, float* cosine) noexcept {
  *sine = std::sin(x);
  *cosine = std::cos(x);
}
}
#undef SIMT_UNARY
