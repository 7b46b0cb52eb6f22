// SPDX-License-Identifier: MIT
// Arithmetic of f32 and f64. Rounds as the processor is told to: to the nearest, or, through
// run_directed, in another direction.
#include "run/arithmetic/handlers.h"
#include "run/arithmetic/number.h"

namespace run::arithmetic {

namespace {

template <bool ftz>
LAB_INLINE float in(float x) {
  return ftz ? flushed(x) : x;
}
template <bool ftz>
LAB_INLINE double in(double x) {
  return x;
}

// A NaN that goes in comes out, made quiet: the first of those that follow r. f32 has one NaN. The
// processor does the same where there is only one NaN, so the last one needs no look.
LAB_INLINE double quieted(double nan) { return double_of(bits_of(nan) | kQuiet64); }
LAB_INLINE double preferred(double r, double) { return r; }
template <class... Rest>
LAB_INLINE double preferred(double r, double a, Rest... rest) {
  r = preferred(r, rest...);
  return a != a ? quieted(a) : r;
}
template <class... Sources>
LAB_INLINE double settled(double r, Sources... sources) {
#if !defined(__x86_64__)  // elsewhere an invalid operation gives a NaN of the other sign
  const bool is_invalid = (r != r) & ((sources == sources) & ...);
  r = is_invalid ? double_of(kInvalid64) : r;
#endif
  return preferred(r, sources...);
}
template <class... Sources>
LAB_INLINE float settled(float r, Sources...) {
  return canonical(r);
}

// A GPU flushes what rounding lifts to the smallest normal number, too, if it would have stayed
// below with the exponent's range unbounded. So a product is computed once more, at 2^24 times its
// size. (A scaled operand that overflows makes an infinity or a NaN, never less.)
inline constexpr float kFlushScale = 0x1p24f;
LAB_INLINE float flushed_if(bool is_tiny, float r) {
  return is_tiny ? float_of(bits_of(r) & 0x80000000) : r;
}
LAB_INLINE float flushed(float r, float scaled) {
  return flushed_if(__builtin_fabsf(scaled) < 0x1p-126f * kFlushScale, r);
}

template <bool sat>
LAB_INLINE float saturated(float r) {
  if constexpr (sat) {
    r = r > 0.0f ? r : 0.0f;  // a NaN becomes 0, and -0 becomes +0
    r = r < 1.0f ? r : 1.0f;
  }
  return r;
}
template <bool sat>
LAB_INLINE double saturated(double r) {
  return r;
}

// Of several NaNs in f64 the hardware prefers b, then c, then a; its division is a program, and
// prefers a.
template <class T, bool ftz, bool sat>
struct Ops {
  LAB_INLINE T add(T a, T b) {
    a = in<ftz>(a), b = in<ftz>(b);
    return saturated<sat>(settled(in<ftz>(a + b), b, a));  // a subnormal sum is exact
  }
  LAB_INLINE T sub(T a, T b) {
    a = in<ftz>(a), b = in<ftz>(b);
    return saturated<sat>(settled(in<ftz>(a - b), b, a));
  }
  LAB_INLINE T mul(T a, T b) {
    a = in<ftz>(a), b = in<ftz>(b);
    T r = a * b;
    if constexpr (ftz) r = flushed(r, (a * kFlushScale) * b);
    return saturated<sat>(settled(r, b, a));
  }
  LAB_INLINE T fma(T a, T b, T c) {
    a = in<ftz>(a), b = in<ftz>(b), c = in<ftz>(c);
    T r = fused(a, b, c);
    if constexpr (ftz) r = flushed(r, fused(a * kFlushScale, b, c * kFlushScale));
    return saturated<sat>(settled(r, b, c, a));
  }
  LAB_INLINE T div(T a, T b) {
    a = in<ftz>(a), b = in<ftz>(b);
    T r = a / b;
    // A quotient below 2^-126 is so by a whole unit, which rounding does not lift.
    if constexpr (ftz) r = flushed_if(__builtin_fabsf(a) * 0x1p126f < __builtin_fabsf(b), r);
    return settled(r, a, b);
  }
  LAB_INLINE T rcp(T a) {
    a = in<ftz>(a);
    T r = T{1} / a;
    if constexpr (ftz) r = flushed_if(__builtin_fabsf(a) > 0x1p126f, r);
    return settled(r, a);
  }
  LAB_INLINE T sqrt(T a) {
    a = in<ftz>(a);
    if constexpr (sizeof(T) == 4) {
      return settled(__builtin_sqrtf(a), a);
    } else {
      return settled(__builtin_sqrt(a), a);
    }
  }
};

// The product and the sum in double: right in every direction but to the nearest.
#if !defined(__FMA__) && !defined(__aarch64__)
template <bool ftz, bool sat>
LAB_INLINE float fma_directed(float a, float b, float c) {
  a = in<ftz>(a), b = in<ftz>(b), c = in<ftz>(c);
  const double wide = static_cast<double>(a) * b + c;
  float r = static_cast<float>(wide);
  if constexpr (ftz) r = flushed(r, static_cast<float>(wide * kFlushScale));
  return saturated<sat>(canonical(r));
}
#endif

template <class T>
struct Sign;
template <>
struct Sign<float> {
  using Bits = std::uint32_t;
  static constexpr Bits kMask = 0x80000000;
  LAB_INLINE float nan(float, float) { return float_of(kCanonicalNan32); }
};
template <>
struct Sign<double> {
  using Bits = std::uint64_t;
  static constexpr Bits kMask = 0x8000000000000000;
  LAB_INLINE double nan(double, double b) { return double_of(kQuiet64 | bits_of(b)); }
};
template <class T>
LAB_INLINE T of_bits(typename Sign<T>::Bits bits) {
  return __builtin_bit_cast(T, bits);
}

// -0 is smaller than +0.
template <class T, bool is_max, bool keeps_nan, bool xorsign, bool ftz>
LAB_INLINE T chosen(T a, T b) {
  a = in<ftz>(a), b = in<ftz>(b);
  typename Sign<T>::Bits sign = 0;
  if constexpr (xorsign) {
    sign = (bits_of(a) ^ bits_of(b)) & Sign<T>::kMask;
    a = of_bits<T>(bits_of(a) & ~Sign<T>::kMask);
    b = of_bits<T>(bits_of(b) & ~Sign<T>::kMask);
  }
  const bool a_negative = (bits_of(a) & Sign<T>::kMask) != 0;
  const bool a_smaller = (a < b) | ((a == b) & a_negative);
  T r = (a_smaller != is_max) ? a : b;
  r = b != b ? a : r;
  r = a != a ? b : r;
  const bool is_nan = keeps_nan ? (a != a) | (b != b) : (a != a) & (b != b);
  if constexpr (xorsign) r = of_bits<T>(bits_of(r) | sign);
  return is_nan ? Sign<T>::nan(a, b) : r;
}

LAB_INLINE float or_nan(float r, float) { return canonical(r); }
LAB_INLINE double or_nan(double r, double a) { return a != a ? quieted(a) : r; }
template <class T, bool ftz>
LAB_INLINE T absolute(T a) {
  a = in<ftz>(a);
  return or_nan(of_bits<T>(bits_of(a) & ~Sign<T>::kMask), a);
}
template <class T, bool ftz>
LAB_INLINE T negated(T a) {
  a = in<ftz>(a);
  return or_nan(of_bits<T>(bits_of(a) ^ Sign<T>::kMask), a);
}
template <class U>
LAB_INLINE U copied_sign(U a, U b) {
  constexpr U kMask = U{1} << (8 * sizeof(U) - 1);
  return (a & kMask) | (b & ~kMask);
}

// slct: a where c >= 0. A NaN is not, and a denormal is 0 with .ftz.
template <class U, bool ftz>
LAB_INLINE U select_by_float(U a, U b, float c) {
  return in<ftz>(c) >= 0 ? a : b;
}
template <class U>
LAB_INLINE U select_by_integer(U a, U b, std::int32_t c) {
  return c >= 0 ? a : b;
}

template <class T, bool ftz, bool sat>
Handler pick_rounded(Float operation) {
  using O = Ops<T, ftz, sat>;
  switch (operation) {
    case Float::kAdd:
      return binary<O::add, T, T, T>;
    case Float::kSub:
      return binary<O::sub, T, T, T>;
    case Float::kMul:
      return binary<O::mul, T, T, T>;
    case Float::kFma:
      return ternary<O::fma, T, T, T, T>;
    default:
      break;
  }
#if !defined(__FMA__) && !defined(__aarch64__)
  if constexpr (sizeof(T) == 4) {
    if (operation == Float::kFmaDirected) return ternary<fma_directed<ftz, sat>, T, T, T, T>;
  }
#endif
  if (operation == Float::kFmaDirected) return ternary<O::fma, T, T, T, T>;
  if constexpr (!sat) {
    if (operation == Float::kDiv) return binary<O::div, T, T, T>;
    if (operation == Float::kRcp) return unary<O::rcp, T, T>;
    if (operation == Float::kSqrt) return unary<O::sqrt, T, T>;
  }
  return nullptr;
}

template <class T, bool ftz>
Handler pick_exact(Float operation) {
  switch (operation) {
    case Float::kMin:
      return binary<chosen<T, false, false, false, ftz>, T, T, T>;
    case Float::kMax:
      return binary<chosen<T, true, false, false, ftz>, T, T, T>;
    case Float::kAbs:
      return unary<absolute<T, ftz>, T, T>;
    case Float::kNeg:
      return unary<negated<T, ftz>, T, T>;
    default:
      break;
  }
  if constexpr (sizeof(T) == 4) {
    if (operation == Float::kMinNan) return binary<chosen<T, false, true, false, ftz>, T, T, T>;
    if (operation == Float::kMaxNan) return binary<chosen<T, true, true, false, ftz>, T, T, T>;
    if (operation == Float::kMinXorsign) return binary<chosen<T, false, false, true, ftz>, T, T, T>;
    if (operation == Float::kMaxXorsign) return binary<chosen<T, true, false, true, ftz>, T, T, T>;
    if (operation == Float::kMinNanXorsign) {
      return binary<chosen<T, false, true, true, ftz>, T, T, T>;
    }
    if (operation == Float::kMaxNanXorsign) {
      return binary<chosen<T, true, true, true, ftz>, T, T, T>;
    }
  }
  return nullptr;
}

}  // namespace

Handler pick_float(Float operation, Type type, FloatFlags flags) {
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  const bool is_half =
      type == Type::kF16 || type == Type::kBF16 || type == Type::kF16x2 || type == Type::kBF16x2;
  if (is_half) return pick_half(operation, type, flags);
  if (operation == Float::kCopysign) {
    return type == Type::kF64 ? binary<copied_sign<U64>, U64, U64, U64>
                              : binary<copied_sign<U32>, U32, U32, U32>;
  }
  if (operation == Float::kSelectBySign) {  // the type says how wide the rows are
    if (type == Type::kB64) {
      return flags.ftz ? ternary<select_by_float<U64, true>, U64, U64, U64, float>
                       : ternary<select_by_float<U64, false>, U64, U64, U64, float>;
    }
    return flags.ftz ? ternary<select_by_float<U32, true>, U32, U32, U32, float>
                     : ternary<select_by_float<U32, false>, U32, U32, U32, float>;
  }
  if (operation == Float::kSelectByInteger) {
    return type == Type::kB64 ? ternary<select_by_integer<U64>, U64, U64, U64, std::int32_t>
                              : ternary<select_by_integer<U32>, U32, U32, U32, std::int32_t>;
  }
  if (type == Type::kF64) {
    const Handler handler = pick_rounded<double, false, false>(operation);
    return handler != nullptr ? handler : pick_exact<double, false>(operation);
  }
  if (type != Type::kF32) return nullptr;
  const Handler exact =
      flags.ftz ? pick_exact<float, true>(operation) : pick_exact<float, false>(operation);
  if (exact != nullptr) return exact;
  if (flags.ftz) {
    return flags.sat ? pick_rounded<float, true, true>(operation)
                     : pick_rounded<float, true, false>(operation);
  }
  return flags.sat ? pick_rounded<float, false, true>(operation)
                   : pick_rounded<float, false, false>(operation);
}

}  // namespace run::arithmetic
