// SPDX-License-Identifier: MIT
// Approximations: ex2, lg2, sin, cos, tanh, rcp, rsqrt, sqrt, div with .approx or .full. A GPU
// looks them up in tables of its own; ours are polynomials in double, made of additions, products
// and quotients alone, so that every processor gives the same bits. Their error is below 2^-30,
// before they are rounded to f32: far within what PTX promises.
#include "run/arithmetic/handlers.h"
#include "run/arithmetic/number.h"

namespace run::arithmetic {

namespace {

// The nearest integer, ties to even; |x| < 2^51.
LAB_INLINE double nearest(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

// 2^x. Beyond +-200 every format of ours has ended; a NaN stays one.
LAB_INLINE double exp2_of(double x) {
  x = x > 200.0 ? 200.0 : x;
  x = x < -200.0 ? -200.0 : x;
  const double whole = nearest(x);
  const double y = (x - whole) * 0.693147180559945309417;  // at most 0.3466
  double r = 1.0 / 3628800;
  r = r * y + 1.0 / 362880;
  r = r * y + 1.0 / 40320;
  r = r * y + 1.0 / 5040;
  r = r * y + 1.0 / 720;
  r = r * y + 1.0 / 120;
  r = r * y + 1.0 / 24;
  r = r * y + 1.0 / 6;
  r = r * y + 0.5;
  r = r * y + 1.0;
  r = r * y + 1.0;
  // Adding 2^52 + 2^51 puts the integer into the low bits.
  const std::uint64_t exponent = (bits_of(whole + 0x1.8p52) + 1023) << 52;
  return r * double_of(exponent);
}

LAB_INLINE double log2_of(double x) {
  const std::uint64_t bits = bits_of(x);
  // The significand between sqrt(1/2) and sqrt(2), so that log2(1) is 0.
  const std::uint64_t shifted = bits - 0x3fe6a09e667f3bcd;
  const double exponent = static_cast<double>(
      static_cast<std::int32_t>(static_cast<std::uint32_t>(shifted >> 32)) >> 20);
  const double m = double_of((shifted & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd);
  const double s = (m - 1.0) / (m + 1.0), z = s * s;  // |s| <= 0.1716
  double r = 1.0 / 15;
  r = r * z + 1.0 / 13;
  r = r * z + 1.0 / 11;
  r = r * z + 1.0 / 9;
  r = r * z + 1.0 / 7;
  r = r * z + 1.0 / 5;
  r = r * z + 1.0 / 3;
  r = r * z + 1.0;
  double result = exponent + s * r * 2.88539008177792681472;  // 2 / ln 2
  result = x == 0 ? -__builtin_inf() : result;
  result = x > 0x1.fffffffffffffp1023 ? x : result;
  return x < 0 ? __builtin_nan("") : (x != x ? x : result);
}

// sin of t turns. As on a GPU an argument is first multiplied by 1 / 2 pi in f32, towards zero, so
// large arguments lose the same bits.
LAB_INLINE double turns_of(float x) {
  const double exact = static_cast<double>(x) * 0.15915493667125701904f;
  return double_of(bits_of(exact) & 0xffffffffe0000000);
}
LAB_INLINE double sine_of_turns(double t) {
  double f = t - nearest(t);
  f = f > 0.25 ? 0.5 - f : f;
  f = f < -0.25 ? -0.5 - f : f;
  const double y = f * 6.28318530717958647693, z = y * y;  // at most pi / 2
  double r = 1.0 / 355687428096000;
  r = r * z - 1.0 / 1307674368000;
  r = r * z + 1.0 / 6227020800;
  r = r * z - 1.0 / 39916800;
  r = r * z + 1.0 / 362880;
  r = r * z - 1.0 / 5040;
  r = r * z + 1.0 / 120;
  r = r * z - 1.0 / 6;
  r = r * z + 1.0;
  return y * r;
}
LAB_INLINE double sine_of(float x) { return sine_of_turns(turns_of(x)); }
LAB_INLINE double cosine_of(float x) {
  const double t = turns_of(x);
  return sine_of_turns(t - nearest(t) + 0.25);
}

LAB_INLINE double tanh_of(double x) {
  double near = x > 20.0 ? 20.0 : x;
  near = near < -20.0 ? -20.0 : near;
  const double e = exp2_of(near * 2.88539008177792681472);
  const double z = x * x;
  const double small = x * (1.0 + z * (z * (2.0 / 15) - 1.0 / 3));
  return x < 0x1p-6 && x > -0x1p-6 ? small : (e - 1.0) / (e + 1.0);
}

template <Approx operation>
LAB_INLINE float computed(float x) {
  switch (operation) {
    case Approx::kRcp:
      return 1.0f / x;
    case Approx::kSqrt:
      return __builtin_sqrtf(x);
    case Approx::kRsqrt:
      return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x)));
    case Approx::kSin:
      return static_cast<float>(sine_of(x));
    case Approx::kCos:
      return static_cast<float>(cosine_of(x));
    case Approx::kLg2:
      return static_cast<float>(log2_of(static_cast<double>(x)));
    case Approx::kEx2:
      return static_cast<float>(exp2_of(static_cast<double>(x)));
    default:
      return static_cast<float>(tanh_of(static_cast<double>(x)));
  }
}

template <Approx operation, bool ftz>
LAB_INLINE float approximated(float x) {
  const float r = canonical(computed<operation>(ftz ? flushed(x) : x));
  return ftz ? flushed(r) : r;
}
template <Approx operation, class H>
LAB_INLINE H approximated_half(H x) {
  return narrow<H>(computed<operation>(widen(x)));
}
template <Approx operation, class H>
LAB_INLINE std::uint32_t approximated_halves(std::uint32_t x) {
  const H low = approximated_half<operation>(H{static_cast<std::uint16_t>(x)});
  const H high = approximated_half<operation>(H{static_cast<std::uint16_t>(x >> 16)});
  return low.bits | static_cast<std::uint32_t>(high.bits) << 16;
}

// .approx: a divisor above 2^126 has a reciprocal that is flushed to zero. .full scales it first.
template <bool is_full, bool ftz>
LAB_INLINE float divided(float a, float b) {
  a = ftz ? flushed(a) : a;
  b = ftz ? flushed(b) : b;
  float r = a / b;
  if constexpr (!is_full) {
    const std::uint32_t magnitude = bits_of(b) & 0x7fffffff;
    const bool is_huge = magnitude > 0x7e800000 && magnitude < 0x7f800000;
    const float zero = float_of((bits_of(a) ^ bits_of(b)) & 0x80000000);
    const float huge = (bits_of(a) & 0x7fffffff) >= 0x7f800000 ? float_of(kCanonicalNan32) : zero;
    r = is_huge ? huge : r;
  }
  r = canonical(r);
  return ftz ? flushed(r) : r;
}

// f64: the upper half of the result; .ftz takes denormal numbers for zeros.
LAB_INLINE double flushed64(double x) {
  const std::uint64_t bits = bits_of(x);
  return double_of((bits & 0x7ff0000000000000) == 0 ? bits & 0x8000000000000000 : bits);
}
LAB_INLINE double upper_half(double x) {
  return x != x ? double_of(0x7fffffff00000000) : double_of(bits_of(x) & 0xffffffff00000000);
}
// They read the upper half alone, too: a NaN whose bits are all below is an infinity to them.
LAB_INLINE double rcp64(double x) {
  return flushed64(upper_half(1.0 / flushed64(double_of(bits_of(x) & 0xffffffff00000000))));
}
LAB_INLINE double rsqrt64_ftz(double x) {
  return upper_half(1.0 / __builtin_sqrt(flushed64(double_of(bits_of(x) & 0xffffffff00000000))));
}
LAB_INLINE double rsqrt64(double x) {
  const double r = 1.0 / __builtin_sqrt(x);
  return r != r ? double_of(x != x ? bits_of(x) | kQuiet64 : kInvalid64) : r;
}

template <Approx operation>
Handler made(Type type, bool ftz) {
  if (type == Type::kF32) {
    return ftz ? unary<approximated<operation, true>, float, float>
               : unary<approximated<operation, false>, float, float>;
  }
  if constexpr (operation == Approx::kEx2 || operation == Approx::kTanh) {
    using U32 = std::uint32_t;
    if (type == Type::kF16) return unary<approximated_half<operation, F16>, F16, F16>;
    if (type == Type::kBF16) return unary<approximated_half<operation, BF16>, BF16, BF16>;
    if (type == Type::kF16x2) return unary<approximated_halves<operation, F16>, U32, U32>;
    if (type == Type::kBF16x2) return unary<approximated_halves<operation, BF16>, U32, U32>;
  }
  return nullptr;
}

}  // namespace

Handler pick_approx(Approx operation, Type type, FloatFlags flags) {
  if (type == Type::kF64) {
    if (operation == Approx::kRcp) return unary<rcp64, double, double>;
    if (operation != Approx::kRsqrt) return nullptr;
    return flags.ftz ? unary<rsqrt64_ftz, double, double> : unary<rsqrt64, double, double>;
  }
  switch (operation) {
    case Approx::kDiv:
      return flags.ftz ? binary<divided<false, true>, float, float, float>
                       : binary<divided<false, false>, float, float, float>;
    case Approx::kDivFull:
      return flags.ftz ? binary<divided<true, true>, float, float, float>
                       : binary<divided<true, false>, float, float, float>;
    case Approx::kRcp:
      return made<Approx::kRcp>(type, flags.ftz);
    case Approx::kSqrt:
      return made<Approx::kSqrt>(type, flags.ftz);
    case Approx::kRsqrt:
      return made<Approx::kRsqrt>(type, flags.ftz);
    case Approx::kSin:
      return made<Approx::kSin>(type, flags.ftz);
    case Approx::kCos:
      return made<Approx::kCos>(type, flags.ftz);
    case Approx::kLg2:
      return made<Approx::kLg2>(type, flags.ftz);
    case Approx::kEx2:
      return made<Approx::kEx2>(type, flags.ftz);
    case Approx::kTanh:
      return made<Approx::kTanh>(type, flags.ftz);
  }
  return nullptr;
}

}  // namespace run::arithmetic
