// SPDX-License-Identifier: MIT
// CUDA's mathematical functions. Those that the C library has are its own, in double also for
// float, so that results do not differ between versions of the library by more than a rounding.
#pragma once

namespace run::special {

// clang-format off
#define RUN_DECLARE_UNARY(name) \
  double name(double x);        \
  float name##f(float x);
#define RUN_DECLARE_BINARY(name)   \
  double name(double x, double y); \
  float name##f(float x, float y);

RUN_DECLARE_UNARY(sin)
RUN_DECLARE_UNARY(cos)
RUN_DECLARE_UNARY(tan)
RUN_DECLARE_UNARY(asin)
RUN_DECLARE_UNARY(acos)
RUN_DECLARE_UNARY(atan)
RUN_DECLARE_UNARY(sinh)
RUN_DECLARE_UNARY(cosh)
RUN_DECLARE_UNARY(tanh) RUN_DECLARE_UNARY(asinh) RUN_DECLARE_UNARY(acosh) RUN_DECLARE_UNARY(atanh)
    RUN_DECLARE_UNARY(exp) RUN_DECLARE_UNARY(exp2) RUN_DECLARE_UNARY(exp10) RUN_DECLARE_UNARY(expm1)
        RUN_DECLARE_UNARY(log) RUN_DECLARE_UNARY(log2) RUN_DECLARE_UNARY(log10)
            RUN_DECLARE_UNARY(log1p) RUN_DECLARE_UNARY(logb) RUN_DECLARE_UNARY(cbrt)
                RUN_DECLARE_UNARY(rcbrt) RUN_DECLARE_UNARY(erf) RUN_DECLARE_UNARY(erfc)
                    RUN_DECLARE_UNARY(erfcx) RUN_DECLARE_UNARY(erfinv) RUN_DECLARE_UNARY(erfcinv)
                        RUN_DECLARE_UNARY(normcdf) RUN_DECLARE_UNARY(normcdfinv)
                            RUN_DECLARE_UNARY(lgamma) RUN_DECLARE_UNARY(tgamma)
                                RUN_DECLARE_UNARY(sinpi) RUN_DECLARE_UNARY(cospi)
                                    RUN_DECLARE_UNARY(tanpi) RUN_DECLARE_UNARY(j0)
                                        RUN_DECLARE_UNARY(j1) RUN_DECLARE_UNARY(y0)
                                            RUN_DECLARE_UNARY(y1) RUN_DECLARE_BINARY(pow)
                                                RUN_DECLARE_BINARY(atan2) RUN_DECLARE_BINARY(fmod)
                                                    RUN_DECLARE_BINARY(remainder)
                                                        RUN_DECLARE_BINARY(hypot)
                                                            RUN_DECLARE_BINARY(nextafter)

#undef RUN_DECLARE_UNARY
#undef RUN_DECLARE_BINARY
// clang-format on

}  // namespace run::special
