// SPDX-License-Identifier: MIT
// CUDA's own mathematics for the host's code: the same functions as the device's.
#include "lockstep/host_math.h"

#include <cmath>

#include "run/special_functions.h"

namespace special = run::special;

#define RUNTIME_UNARY(name)                                   \
  double name(double x) noexcept { return special::name(x); } \
  float name##f(float x) noexcept { return special::name##f(x); }
RUNTIME_UNARY(rcbrt)
RUNTIME_UNARY(sinpi)
RUNTIME_UNARY(cospi)
RUNTIME_UNARY(tanpi)
RUNTIME_UNARY(erfinv)
RUNTIME_UNARY(erfcinv)
RUNTIME_UNARY(erfcx)
RUNTIME_UNARY(normcdf)
RUNTIME_UNARY(normcdfinv)
#undef RUNTIME_UNARY

double rsqrt(double x) noexcept { return 1 / std::sqrt(x); }
float rsqrtf(float x) noexcept { return static_cast<float>(rsqrt(static_cast<double>(x))); }

double norm3d(double x, double y, double z) noexcept { return std::hypot(x, y, z); }
float norm3df(float x, float y, float z) noexcept { return std::hypot(x, y, z); }
double norm4d(double x, double y, double z, double w) noexcept {
  return std::hypot(std::hypot(x, y), std::hypot(z, w));
}
float norm4df(float x, float y, float z, float w) noexcept {
  return static_cast<float>(norm4d(x, y, z, w));
}
double rhypot(double x, double y) noexcept { return 1 / std::hypot(x, y); }
float rhypotf(float x, float y) noexcept { return static_cast<float>(rhypot(x, y)); }
double rnorm3d(double x, double y, double z) noexcept { return 1 / norm3d(x, y, z); }
float rnorm3df(float x, float y, float z) noexcept { return static_cast<float>(rnorm3d(x, y, z)); }

void sincospi(double x, double* sine, double* cosine) noexcept {
  *sine = special::sinpi(x);
  *cosine = special::cospi(x);
}
void sincospif(float x, float* sine, float* cosine) noexcept {
  *sine = special::sinpif(x);
  *cosine = special::cospif(x);
}
