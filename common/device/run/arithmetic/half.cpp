// SPDX-License-Identifier: MIT
// Arithmetic of f16 and bf16, and of two of them in a word. It is done in f32: its 24 bits are more
// than 2 * 11 + 2, so a sum or a product that is rounded twice is right. A fused product is rounded
// to odd first, in double for bf16, whose products leave the range of f32.
#include "run/arithmetic/handlers.h"
#include "run/arithmetic/number.h"

namespace run::arithmetic {

namespace {

template <class H, bool ftz>
LAB_INLINE float in(H x) {
  if constexpr (ftz) x.bits = (x.bits & 0x7c00) == 0 ? x.bits & 0x8000 : x.bits;
  return widen(x);
}
template <class H, bool ftz, bool sat>
LAB_INLINE H out(float r) {
  if constexpr (sat) {
    r = r > 0.0f ? r : 0.0f;
    r = r < 1.0f ? r : 1.0f;
  }
  // As in f32 (float.cpp): with an unbounded exponent, this much below 2^-14 is rounded up to it.
  if constexpr (ftz) r = __builtin_fabsf(r) < 0x1p-14f - 0x1p-26f ? __builtin_copysignf(0, r) : r;
  return narrow<H>(r);
}

LAB_INLINE float fused_odd(F16 a, F16 b, F16 c) { return add_odd(widen(a) * widen(b), widen(c)); }
LAB_INLINE float fused_odd(BF16 a, BF16 b, BF16 c) {
  const double exact =
      add_odd(static_cast<double>(widen(a)) * widen(b), static_cast<double>(widen(c)));
  // To odd again, by cutting: bf16 reads 16 bits of the 24, and the last one says "and more".
  const float cut = static_cast<float>(exact);
  const double error = exact - cut;
  return odd(cut, error > 0 ? 1.0f : (error < 0 ? -1.0f : 0.0f));
}

template <class H, bool ftz, bool sat>
struct Ops {
  LAB_INLINE H add(H a, H b) { return out<H, ftz, sat>(in<H, ftz>(a) + in<H, ftz>(b)); }
  LAB_INLINE H sub(H a, H b) { return out<H, ftz, sat>(in<H, ftz>(a) - in<H, ftz>(b)); }
  LAB_INLINE H mul(H a, H b) { return out<H, ftz, sat>(in<H, ftz>(a) * in<H, ftz>(b)); }
  LAB_INLINE H fma(H a, H b, H c) {
    if constexpr (ftz) {
      a.bits = (a.bits & 0x7c00) == 0 ? a.bits & 0x8000 : a.bits;
      b.bits = (b.bits & 0x7c00) == 0 ? b.bits & 0x8000 : b.bits;
      c.bits = (c.bits & 0x7c00) == 0 ? c.bits & 0x8000 : c.bits;
    }
    return out<H, ftz, sat>(fused_odd(a, b, c));
  }
  LAB_INLINE H fma_relu(H a, H b, H c) {
    H r = fma(a, b, c);
    const bool is_nan = (r.bits & 0x7fff) == kCanonicalNan16;
    r.bits = (r.bits & 0x8000) != 0 && !is_nan ? 0 : r.bits;
    return r;
  }
};

template <class H>
LAB_INLINE bool is_nan(H x) {
  return (x.bits & 0x7fff) > (__is_same(H, F16) ? 0x7c00 : 0x7f80);
}
// Integers in the order of the numbers; -0 comes before +0.
template <class H>
LAB_INLINE std::int32_t rank(H x) {
  const std::int32_t bits = static_cast<std::int16_t>(x.bits);
  return bits < 0 ? bits ^ 0x7fff : bits;
}
template <class H, bool is_max, bool keeps_nan, bool xorsign, bool ftz>
LAB_INLINE H chosen(H a, H b) {
  if constexpr (ftz) {
    a.bits = (a.bits & 0x7c00) == 0 ? a.bits & 0x8000 : a.bits;
    b.bits = (b.bits & 0x7c00) == 0 ? b.bits & 0x8000 : b.bits;
  }
  std::uint16_t sign = 0;
  if constexpr (xorsign) {
    sign = (a.bits ^ b.bits) & 0x8000;
    a.bits &= 0x7fff;
    b.bits &= 0x7fff;
  }
  const bool first = (rank(a) < rank(b)) != is_max;
  std::uint16_t r = first ? a.bits : b.bits;
  r = is_nan(b) ? a.bits : r;
  r = is_nan(a) ? b.bits : r;
  const bool is_result_nan = keeps_nan ? is_nan(a) || is_nan(b) : is_nan(a) && is_nan(b);
  return {static_cast<std::uint16_t>(is_result_nan ? kCanonicalNan16 : r | sign)};
}
template <class H, bool ftz>
LAB_INLINE H absolute(H a) {
  if constexpr (ftz) a.bits = (a.bits & 0x7c00) == 0 ? a.bits & 0x8000 : a.bits;
  return {static_cast<std::uint16_t>(is_nan(a) ? kCanonicalNan16 : a.bits & 0x7fff)};
}
template <class H, bool ftz>
LAB_INLINE H negated(H a) {
  if constexpr (ftz) a.bits = (a.bits & 0x7c00) == 0 ? a.bits & 0x8000 : a.bits;
  return {static_cast<std::uint16_t>(is_nan(a) ? kCanonicalNan16 : a.bits ^ 0x8000)};
}

template <class H>
struct PairOf {
  using Type = typename Either<__is_same(H, F16), F16x2, BF16x2>::Type;
};
template <class H>
using Pair = typename PairOf<H>::Type;

template <class H>
LAB_INLINE H low(Pair<H> x) {
  return {static_cast<std::uint16_t>(x.bits)};
}
template <class H>
LAB_INLINE H high(Pair<H> x) {
  return {static_cast<std::uint16_t>(x.bits >> 16)};
}
template <class H>
LAB_INLINE Pair<H> joined(H low, H high) {
  return {low.bits | static_cast<std::uint32_t>(high.bits) << 16};
}
template <auto function, class H>
LAB_INLINE Pair<H> each1(Pair<H> a) {
  return joined<H>(function(low<H>(a)), function(high<H>(a)));
}
template <auto function, class H>
LAB_INLINE Pair<H> each2(Pair<H> a, Pair<H> b) {
  return joined<H>(function(low<H>(a), low<H>(b)), function(high<H>(a), high<H>(b)));
}
template <auto function, class H>
LAB_INLINE Pair<H> each3(Pair<H> a, Pair<H> b, Pair<H> c) {
  return joined<H>(function(low<H>(a), low<H>(b), low<H>(c)),
                   function(high<H>(a), high<H>(b), high<H>(c)));
}

template <auto function, class H>
Handler made1(bool is_pair) {
  return is_pair ? unary<each1<function, H>, Pair<H>, Pair<H>> : unary<function, H, H>;
}
template <auto function, class H>
Handler made2(bool is_pair) {
  return is_pair ? binary<each2<function, H>, Pair<H>, Pair<H>, Pair<H>>
                 : binary<function, H, H, H>;
}
template <auto function, class H>
Handler made3(bool is_pair) {
  return is_pair ? ternary<each3<function, H>, Pair<H>, Pair<H>, Pair<H>, Pair<H>>
                 : ternary<function, H, H, H, H>;
}

template <class H, bool ftz, bool sat>
Handler pick_rounded(Float operation, bool is_pair) {
  using O = Ops<H, ftz, sat>;
  switch (operation) {
    case Float::kAdd:
      return made2<O::add, H>(is_pair);
    case Float::kSub:
      return made2<O::sub, H>(is_pair);
    case Float::kMul:
      return made2<O::mul, H>(is_pair);
    case Float::kFma:
      return made3<O::fma, H>(is_pair);
    case Float::kFmaRelu:
      if constexpr (!sat) return made3<O::fma_relu, H>(is_pair);
      return nullptr;
    default:
      return nullptr;
  }
}
template <class H, bool ftz>
Handler pick_exact(Float operation, bool is_pair) {
  switch (operation) {
    case Float::kMin:
      return made2<chosen<H, false, false, false, ftz>, H>(is_pair);
    case Float::kMax:
      return made2<chosen<H, true, false, false, ftz>, H>(is_pair);
    case Float::kMinNan:
      return made2<chosen<H, false, true, false, ftz>, H>(is_pair);
    case Float::kMaxNan:
      return made2<chosen<H, true, true, false, ftz>, H>(is_pair);
    case Float::kMinXorsign:
      return made2<chosen<H, false, false, true, ftz>, H>(is_pair);
    case Float::kMaxXorsign:
      return made2<chosen<H, true, false, true, ftz>, H>(is_pair);
    case Float::kMinNanXorsign:
      return made2<chosen<H, false, true, true, ftz>, H>(is_pair);
    case Float::kMaxNanXorsign:
      return made2<chosen<H, true, true, true, ftz>, H>(is_pair);
    case Float::kAbs:
      return made1<absolute<H, ftz>, H>(is_pair);
    case Float::kNeg:
      return made1<negated<H, ftz>, H>(is_pair);
    default:
      return nullptr;
  }
}

}  // namespace

Handler pick_half(Float operation, Type type, FloatFlags flags) {
  const bool is_pair = type == Type::kF16x2 || type == Type::kBF16x2;
  if (type == Type::kBF16 || type == Type::kBF16x2) {
    if (flags.ftz || flags.sat) return nullptr;
    const Handler handler = pick_exact<BF16, false>(operation, is_pair);
    return handler != nullptr ? handler : pick_rounded<BF16, false, false>(operation, is_pair);
  }
  const Handler exact = flags.ftz ? pick_exact<F16, true>(operation, is_pair)
                                  : pick_exact<F16, false>(operation, is_pair);
  if (exact != nullptr) return exact;
  if (flags.ftz) {
    return flags.sat ? pick_rounded<F16, true, true>(operation, is_pair)
                     : pick_rounded<F16, true, false>(operation, is_pair);
  }
  return flags.sat ? pick_rounded<F16, false, true>(operation, is_pair)
                   : pick_rounded<F16, false, false>(operation, is_pair);
}

}  // namespace run::arithmetic
