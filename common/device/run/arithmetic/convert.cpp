// SPDX-License-Identifier: MIT
// cvt. Any pair of types goes by way of a wide row: integers of 64 bits, or doubles, which hold
// every number of the smaller formats. The pairs that programs use most have handlers of their own.
#include "run/arithmetic/handlers.h"
#include "run/arithmetic/number.h"

namespace run::arithmetic {

namespace {

using U32 = std::uint32_t;
using S32 = std::int32_t;
using U64 = std::uint64_t;
using S64 = std::int64_t;

LAB_INLINE bool is_float(Type type) {
  return type == Type::kF16 || type == Type::kBF16 || type == Type::kF32 || type == Type::kF64 ||
         type == Type::kTF32 || type == Type::kE4M3 || type == Type::kE5M2;
}
struct Range {
  int bits;
  bool is_signed;
};
LAB_INLINE Range range_of(Type type) {
  switch (type) {
    case Type::kU8:
    case Type::kB8:
      return {8, false};
    case Type::kS8:
      return {8, true};
    case Type::kU16:
    case Type::kB16:
      return {16, false};
    case Type::kS16:
      return {16, true};
    case Type::kU32:
    case Type::kB32:
      return {32, false};
    case Type::kS32:
      return {32, true};
    case Type::kS64:
      return {64, true};
    default:
      return {64, false};
  }
}

// The low bits of a word as a number of a type, in two's complement of 64 bits.
LAB_INLINE U64 extended(U64 bits, Range range) {
  const int unused = 64 - range.bits;
  return range.is_signed ? static_cast<U64>(static_cast<S64>(bits << unused) >> unused)
                         : bits << unused >> unused;
}

void read_bits(Warp& warp, const Op* op, const Convert& convert, U64* bits) {
  if (convert.source_is_64) {
    const U64* a = row<U64>(warp, op->a);
    LAB_FOR_LANES(i) bits[i] = a[i];
  } else {
    const U32* a = row<U32>(warp, op->a);
    LAB_FOR_LANES(i) bits[i] = a[i];
  }
}

// bits: of one element of the type, in the low part.
LAB_INLINE double number_of(Type type, U64 bits) {
  switch (type) {
    case Type::kF16:
      return widen(F16{static_cast<std::uint16_t>(bits)});
    case Type::kBF16:
      return widen(BF16{static_cast<std::uint16_t>(bits)});
    case Type::kE5M2:  // the upper half of an f16
      return widen(F16{static_cast<std::uint16_t>(bits << 8)});
    case Type::kE4M3: {
      const U32 magnitude = static_cast<U32>(bits) & 0x7f;
      const double finite = static_cast<double>(float_of(magnitude << 20) * 0x1p120f);
      const double value = magnitude == 0x7f ? __builtin_nan("") : finite;
      return (bits & 0x80) != 0 ? -value : value;
    }
    case Type::kF64:
      return double_of(bits);
    default:
      return static_cast<double>(float_of(static_cast<U32>(bits)));
  }
}

// What a magnitude beyond the format's end becomes: infinity, or the greatest number.
LAB_INLINE U32 ended(U32 magnitude, U32 infinity, bool is_negative, Rounding rounding) {
  if (magnitude < infinity) return magnitude;
  const bool stops = rounding == Rounding::kZero || (rounding == Rounding::kDown && !is_negative) ||
                     (rounding == Rounding::kUp && is_negative);
  return stops ? infinity - 1 : infinity;
}

LAB_INLINE U64 bits_in(Type type, double x, const Convert& convert) {
  const Rounding rounding = convert.rounding;
  const bool is_nan = x != x, is_negative = bits_of(x) >> 63 != 0;
  const bool is_infinite = (bits_of(x) & 0x7fffffffffffffff) == 0x7ff0000000000000;
  switch (type) {
    case Type::kF64:
      if (is_nan && convert.ftz) return bits_of(static_cast<double>(float_of(kCanonicalNan32)));
      return is_nan ? bits_of(x) | kQuiet64 : bits_of(x);
    case Type::kF32: {
      if (is_nan) return kCanonicalNan32;
      U32 r = is_infinite
                  ? 0x7f800000
                  : ended(magnitude_in<23, -126>(x, rounding), 0x7f800000, is_negative, rounding);
      if (convert.ftz && r < 0x00800000) r = 0;
      return r | (is_negative ? 0x80000000 : 0);
    }
    case Type::kTF32: {
      if (is_nan) return kCanonicalNan32 & 0xffffe000;
      const U32 r =
          is_infinite ? 0x3fc00
                      : ended(magnitude_in<10, -126>(x, rounding), 0x3fc00, is_negative, rounding);
      return (r << 13) | (is_negative ? 0x80000000 : 0);
    }
    case Type::kF16: {
      if (is_nan) return kCanonicalNan16;
      U32 r = is_infinite
                  ? 0x7c00
                  : ended(magnitude_in<10, -14>(x, rounding), 0x7c00, is_negative, rounding);
      if (convert.satfinite && r == 0x7c00) r = 0x7bff;
      return r | (is_negative ? 0x8000 : 0);
    }
    case Type::kBF16: {
      if (is_nan) return kCanonicalNan16;
      U32 r = is_infinite
                  ? 0x7f80
                  : ended(magnitude_in<7, -126>(x, rounding), 0x7f80, is_negative, rounding);
      if (convert.satfinite && r == 0x7f80) r = 0x7f7f;
      return r | (is_negative ? 0x8000 : 0);
    }
    case Type::kE4M3: {
      if (is_nan) return 0x7f;
      const U32 r = is_infinite ? 0x7f : magnitude_in<3, -6>(x, rounding);
      return (r < 0x7e ? r : 0x7e) | (is_negative ? 0x80 : 0);
    }
    case Type::kE5M2: {
      if (is_nan) return 0x7f;
      const U32 r = is_infinite ? 0x7f : magnitude_in<2, -14>(x, rounding);
      return (r < 0x7b ? r : 0x7b) | (is_negative ? 0x80 : 0);
    }
    default:
      return 0;
  }
}

LAB_INLINE double integral(double x, Rounding rounding) {
  switch (rounding) {
    case Rounding::kZero:
      return __builtin_trunc(x);
    case Rounding::kDown:
      return __builtin_floor(x);
    case Rounding::kUp:
      return __builtin_ceil(x);
    default: {
      const double magnitude = __builtin_fabs(x);
      const double rounded = magnitude < 0x1p52 ? (magnitude + 0x1p52) - 0x1p52 : magnitude;
      return __builtin_copysign(rounded, x);
    }
  }
}

// A NaN becomes 0, but where 64 bits take part on either side: there it is 1 in the highest bit.
LAB_INLINE U64 integer_in(double x, const Convert& convert) {
  const Range range = range_of(convert.target);
  const double limit = __builtin_ldexp(1.0, range.is_signed ? range.bits - 1 : range.bits);
  const U64 sign = U64{1} << (range.bits - 1);
  if (x != x) return convert.source == Type::kF64 || range.bits == 64 ? sign : 0;
  if (range.is_signed) {
    if (x >= limit) return sign - 1;
    if (x < -limit) return static_cast<U64>(-static_cast<S64>(sign - 1)) - 1;
    return static_cast<U64>(static_cast<S64>(x));
  }
  if (x >= limit) return sign + (sign - 1);
  return x <= 0 ? 0 : static_cast<U64>(x);
}

// An integer as a double, rounded in a direction; kNone: to odd, for what rounds again.
LAB_INLINE double double_from(U64 bits, bool is_signed, Rounding rounding) {
  const U32 upper = static_cast<U32>(bits >> 32);
  const double high =
      (is_signed ? static_cast<double>(static_cast<S32>(upper)) : static_cast<double>(upper)) *
      0x1p32;
  const double low = static_cast<double>(static_cast<U32>(bits));
  const double sum = high + low, error = low - (sum - high);
  switch (rounding) {
    case Rounding::kNone:
      return odd(sum, error);
    case Rounding::kZero:
      return double_of(bits_of(sum) - ((sum > 0 && error < 0) || (sum < 0 && error > 0) ? 1 : 0));
    case Rounding::kDown:
      return error < 0 ? double_of(sum > 0 ? bits_of(sum) - 1 : bits_of(sum) + 1) : sum;
    case Rounding::kUp:
      return error > 0 ? double_of(sum > 0 ? bits_of(sum) + 1 : bits_of(sum) - 1) : sum;
    default:
      return sum;
  }
}

LAB_INLINE U64 saturated(U64 bits, Range from, Range to) {
  const U64 most = ~U64{0} >> (64 - to.bits + (to.is_signed ? 1 : 0));
  if (!from.is_signed || static_cast<S64>(bits) >= 0) return bits < most ? bits : most;
  const S64 least = to.is_signed ? -static_cast<S64>(most) - 1 : 0;
  return static_cast<S64>(bits) < least ? static_cast<U64>(least) : bits;
}

// A NaN of f64 keeps its sign and the upper bits of its payload, made quiet; the other formats have
// one NaN. Apart, so that the usual numbers are as fast as without it.
[[gnu::noinline]] U64 nan_of_f64(U64 bits, Type target) {
  const int stored = target == Type::kF32 ? 23 : (target == Type::kF16 ? 10 : 7);
  const int sign = target == Type::kF32 ? 31 : 15;
  const U64 exponent = (U64{1} << sign) - (U64{1} << stored);
  return bits >> 63 << sign | exponent | ((bits | kQuiet64) & 0x000fffffffffffff) >> (52 - stored);
}

LAB_INLINE U64 converted(U64 bits, const Convert& convert) {
  const bool to_float = is_float(convert.target);
  if (convert.rounding == Rounding::kNearestAway && (bits & 0x7fffffff) > 0x7f800000) {
    return bits & 0xffffe000;  // ptxas makes integer operations of .rna, which cut a NaN, too
  }
  const bool is_same = convert.source == convert.target &&
                       (convert.source == Type::kF32 || convert.source == Type::kF64);
  if (is_same && !convert.sat && !convert.ftz && convert.to_integer == Rounding::kNone) return bits;
  if (!is_float(convert.source)) {
    const Range from = range_of(convert.source);
    bits = extended(bits, from);
    if (!to_float) {
      const Range to = range_of(convert.target);
      return extended(convert.sat ? saturated(bits, from, to) : bits, to);
    }
    double x = double_from(bits, from.is_signed,
                           convert.target == Type::kF64 ? convert.rounding : Rounding::kNone);
    if (convert.sat) x = x > 0 ? (x < 1 ? x : 1) : 0;
    return bits_in(convert.target, x, convert);
  }
  double x = number_of(convert.source, bits);
  // On its way to f16 the hardware rounds a subnormal number as any other, whatever .ftz says.
  if (convert.ftz && convert.source == Type::kF32 && convert.target != Type::kF16 &&
      __builtin_fabs(x) < 0x1p-126) {
    x = __builtin_copysign(0.0, x);
  }
  if (convert.to_integer != Rounding::kNone) x = integral(x, convert.to_integer);
  if (!to_float) return extended(integer_in(x, convert), range_of(convert.target));
  if (convert.sat) x = x > 0 ? (x < 1 ? x : 1) : 0;
  if (convert.relu && x <= 0) x = 0;
  if (x != x && convert.source == Type::kF64 && convert.target != Type::kF64) [[unlikely]] {
    return nan_of_f64(bits, convert.target);
  }
  return bits_in(convert.target, x, convert);
}

template <bool ftz>
LAB_INLINE float in(float x) {
  return ftz ? flushed(x) : x;
}
template <class D, class S>
LAB_INLINE D cast(S a) {
  return static_cast<D>(a);
}
LAB_INLINE float from_f64(double a) { return static_cast<float>(a); }  // a NaN: as nan_of_f64
LAB_INLINE double from_f32(float a) {
  return a != a ? double_of(bits_of(static_cast<double>(a)) | kQuiet64) : static_cast<double>(a);
}
LAB_INLINE float from_f16(F16 a) { return canonical(widen(a)); }
LAB_INLINE U32 from_bf16(U32 a) { return a << 16; }  // a NaN, too
template <class H>
LAB_INLINE H to_half(float a) {
  return narrow<H>(a);
}
LAB_INLINE S32 truncated(float a) {
  const float low = a >= -0x1p31f ? a : -0x1p31f;  // a NaN, too
  const S32 whole = static_cast<S32>(low < 0x1p31f ? low : 0.0f);
  return a != a ? 0 : (low < 0x1p31f ? whole : 0x7fffffff);
}

template <class H>
LAB_INLINE U32 two_halves(float high, float low) {
  return narrow<H>(low).bits | static_cast<U32>(narrow<H>(high).bits) << 16;
}

template <class D, class S>
Handler quick() {
  return unary<cast<D, S>, D, S>;
}

}  // namespace

const Op* run_convert(Warp& warp, const Op* op, std::uint32_t lanes) {
  const Convert& convert = *static_cast<const Convert*>(op->details);
  U64 bits[32];
  read_bits(warp, op, convert, bits);
  for (U64& lane : bits) lane = converted(lane, convert);
  if (convert.target_is_64) {
    blend(row<U64>(warp, op->d), bits, lanes);
  } else {
    U32 words[32];
    LAB_FOR_LANES(i) words[i] = static_cast<U32>(bits[i]);
    blend(row<U32>(warp, op->d), words, lanes);
  }
  return op + 1;
}

const Op* run_convert_pair(Warp& warp, const Op* op, std::uint32_t lanes) {
  const ConvertPair& pair = *static_cast<const ConvertPair*>(op->details);
  const U32* a = row<U32>(warp, op->a);
  const U32* b = row<U32>(warp, op->b);
  const int in_bits = pair.element.source == Type::kF16 ? 16 : 8;
  const int out_bits =
      pair.element.target == Type::kF16 || pair.element.target == Type::kBF16 ? 16 : 8;
  U32 words[32];
  for (int i = 0; i < 32; ++i) {
    const U64 high = pair.is_packed ? a[i] >> in_bits & ((1u << in_bits) - 1) : a[i];
    const U64 low = pair.is_packed ? a[i] & ((1u << in_bits) - 1) : b[i];
    words[i] =
        static_cast<U32>(converted(high, pair.element) << out_bits | converted(low, pair.element));
  }
  blend(row<U32>(warp, op->d), words, lanes);
  return op + 1;
}

const Op* run_convert_pack(Warp& warp, const Op* op, std::uint32_t lanes) {
  const ConvertPack& pack = *static_cast<const ConvertPack*>(op->details);
  const U32* a = row<U32>(warp, op->a);
  const U32* b = row<U32>(warp, op->b);
  const U32* c = row<U32>(warp, op->c);
  const Range to = {pack.bits, pack.is_signed};
  const U32 mask = (U32{1} << pack.bits) - 1;
  U32 words[32];
  for (int i = 0; i < 32; ++i) {
    const U64 high = saturated(static_cast<U64>(S64{static_cast<S32>(a[i])}), {32, true}, to);
    const U64 low = saturated(static_cast<U64>(S64{static_cast<S32>(b[i])}), {32, true}, to);
    words[i] = (static_cast<U32>(high) & mask) << pack.bits | (static_cast<U32>(low) & mask);
    if (pack.has_c) words[i] |= c[i] << (2 * pack.bits);
  }
  blend(row<U32>(warp, op->d), words, lanes);
  return op + 1;
}

Handler pick_quick_convert(const Convert& convert) {
  const Type from = convert.source, to = convert.target;
  const bool is_plain = !convert.ftz && !convert.sat && !convert.relu && !convert.satfinite;
  if (!is_plain) return nullptr;
  const bool from_integer = !is_float(from), to_integer = !is_float(to);
  if (from_integer && to_integer) {
    const Range s = range_of(from), t = range_of(to);
    if (!convert.source_is_64 && convert.target_is_64 && t.bits == 64) {
      if (s.bits == 32) return s.is_signed ? quick<S64, S32>() : quick<U64, U32>();
      if (s.bits == 16)
        return s.is_signed ? quick<S64, std::int16_t>() : quick<U64, std::uint16_t>();
    }
    if (convert.source_is_64 && !convert.target_is_64 && t.bits == 32 && s.bits == 64) {
      return quick<U32, U64>();
    }
    // Into a register that may be wider than the target, with the target's own extension.
    const bool extends_twice = s.is_signed && !t.is_signed && s.bits < t.bits && t.bits < 32;
    if (!convert.source_is_64 && !convert.target_is_64 && !extends_twice) {
      const Range least = s.bits < t.bits ? s : t;
      if (least.bits == 32) return quick<U32, U32>();
      if (least.bits == 16)
        return least.is_signed ? quick<S32, std::int16_t>() : quick<U32, std::uint16_t>();
      if (least.bits == 8)
        return least.is_signed ? quick<S32, std::int8_t>() : quick<U32, std::uint8_t>();
    }
    return nullptr;
  }
  const bool is_nearest = convert.rounding == Rounding::kNearest;
  if (!convert.source_is_64 && !convert.target_is_64) {
    if (from == Type::kS32 && to == Type::kF32 && is_nearest) return quick<float, S32>();
    if (from == Type::kU32 && to == Type::kF32 && is_nearest) return quick<float, U32>();
    if (from == Type::kF32 && to == Type::kS32 && convert.to_integer == Rounding::kZero) {
      return unary<truncated, S32, float>;
    }
    if (convert.to_integer != Rounding::kNone) return nullptr;
    if (from == Type::kF16 && to == Type::kF32) return unary<from_f16, float, F16>;
    if (from == Type::kBF16 && to == Type::kF32) return unary<from_bf16, U32, U32>;
    if (from == Type::kF32 && to == Type::kF16 && is_nearest)
      return unary<to_half<F16>, F16, float>;
    if (from == Type::kF32 && to == Type::kBF16 && is_nearest) {
      return unary<to_half<BF16>, BF16, float>;
    }
  }
  if (convert.to_integer != Rounding::kNone) return nullptr;
  if (from == Type::kF32 && to == Type::kF64) return unary<from_f32, double, float>;
  if (from == Type::kF64 && to == Type::kF32 && is_nearest) return unary<from_f64, float, double>;
  if (from == Type::kS32 && to == Type::kF64 && !convert.source_is_64) return quick<double, S32>();
  return nullptr;
}

Handler pick_quick_pair(const ConvertPair& pair) {
  const Convert& element = pair.element;
  if (pair.is_packed || element.relu || element.satfinite ||
      element.rounding != Rounding::kNearest || element.source != Type::kF32) {
    return nullptr;
  }
  if (element.target == Type::kF16) return binary<two_halves<F16>, U32, float, float>;
  if (element.target == Type::kBF16) return binary<two_halves<BF16>, U32, float, float>;
  return nullptr;
}

}  // namespace run::arithmetic
