// SPDX-License-Identifier: MIT
// CUDA's own mathematics on the host. After <cmath>.
#pragma once

#include <cmath>

#include "lockstep/keywords.h"

// glibc declares some of these names, newer ones for C23: hence C linkage and noexcept.
#define LOCKSTEP_UNARY(name)                   \
  LOCKSTEP_API double name(double x) noexcept; \
  LOCKSTEP_API float name##f(float x) noexcept;
LOCKSTEP_UNARY(rsqrt)
LOCKSTEP_UNARY(rcbrt)
LOCKSTEP_UNARY(sinpi)
LOCKSTEP_UNARY(cospi)
LOCKSTEP_UNARY(tanpi)
LOCKSTEP_UNARY(erfinv)
LOCKSTEP_UNARY(erfcinv)
LOCKSTEP_UNARY(erfcx)
LOCKSTEP_UNARY(normcdf)
LOCKSTEP_UNARY(normcdfinv)
#undef LOCKSTEP_UNARY
LOCKSTEP_API double rhypot(double x, double y) noexcept;
LOCKSTEP_API float rhypotf(float x, float y) noexcept;
LOCKSTEP_API double norm3d(double x, double y, double z) noexcept;
LOCKSTEP_API float norm3df(float x, float y, float z) noexcept;
LOCKSTEP_API double rnorm3d(double x, double y, double z) noexcept;
LOCKSTEP_API float rnorm3df(float x, float y, float z) noexcept;
LOCKSTEP_API double norm4d(double x, double y, double z, double w) noexcept;
LOCKSTEP_API float norm4df(float x, float y, float z, float w) noexcept;
LOCKSTEP_API void sincospi(double x, double* sine, double* cosine) noexcept;
LOCKSTEP_API void sincospif(float x, float* sine, float* cosine) noexcept;

// Overloads for float, as <cmath> has for its own functions.
LOCKSTEP_HOST float rsqrt(float x) { return rsqrtf(x); }
LOCKSTEP_HOST float rcbrt(float x) { return rcbrtf(x); }
LOCKSTEP_HOST float sinpi(float x) { return sinpif(x); }
LOCKSTEP_HOST float cospi(float x) { return cospif(x); }
LOCKSTEP_HOST float normcdf(float x) { return normcdff(x); }
LOCKSTEP_HOST float erfinv(float x) { return erfinvf(x); }
LOCKSTEP_HOST float fdividef(float x, float y) { return x / y; }
LOCKSTEP_HOST double fdivide(double x, double y) { return x / y; }
