// SPDX-License-Identifier: MIT
// Floating-point numbers of 8 and 16 bits as bits, and back, in integer arithmetic: for the host,
// and where the device has no instruction.
#pragma once

#include "lockstep/keywords.h"

namespace lockstep {

enum class Rounding { kNearest, kZero, kUp, kDown };

// A sign, exponent_bits and fraction_bits.
template <int exponent_bits, int fraction_bits>
struct SmallFloat {
  static constexpr int kMinExponent = 2 - (1 << (exponent_bits - 1));
  static constexpr unsigned int kSign = 1u << (exponent_bits + fraction_bits);
  static constexpr unsigned int kInfinity = ((1u << exponent_bits) - 1) << fraction_bits;

  // The fields of |value|, a finite number: exponent and fraction, as if there were no largest
  // exponent. The host's numbers are exact doubles.
  static constexpr LOCKSTEP_INLINE unsigned long long fields_of(double value, Rounding rounding) {
    const auto bits = __builtin_bit_cast(unsigned long long, value);
    const bool is_negative = bits >> 63 != 0;
    const int biased = static_cast<int>(bits >> 52 & 0x7ff);
    if (biased == 0) {  // zero, or too small for every format
      const bool up = bits << 1 != 0 && rounding == (is_negative ? Rounding::kDown : Rounding::kUp);
      return up ? 1 : 0;
    }
    const int exponent = biased - 1023;
    const unsigned long long fraction = (bits & ((1ull << 52) - 1)) | 1ull << 52;
    const bool is_normal = exponent >= kMinExponent;
    int lost_bits = 52 - fraction_bits + (is_normal ? 0 : kMinExponent - exponent);
    if (lost_bits > 62) lost_bits = 62;
    unsigned long long kept = fraction >> lost_bits;
    const unsigned long long rest = fraction & ((1ull << lost_bits) - 1);
    const unsigned long long half = 1ull << (lost_bits - 1);
    if (rounding == Rounding::kNearest) {
      if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
    } else if (rest != 0 && rounding == (is_negative ? Rounding::kDown : Rounding::kUp)) {
      ++kept;
    }
    if (!is_normal) return kept;
    return (static_cast<unsigned long long>(exponent - kMinExponent) << fraction_bits) + kept;
  }

  static constexpr LOCKSTEP_INLINE unsigned short encode(double value, Rounding rounding) {
    const auto bits = __builtin_bit_cast(unsigned long long, value);
    const unsigned int sign = bits >> 63 != 0 ? kSign : 0;
    const unsigned long long magnitude = bits & ~(1ull << 63);
    if (magnitude > 0x7ffull << 52) return static_cast<unsigned short>(kSign - 1);  // a NaN
    if (magnitude == 0x7ffull << 52) return static_cast<unsigned short>(sign | kInfinity);
    const unsigned long long fields = fields_of(value, rounding);
    if (fields < kInfinity) return static_cast<unsigned short>(sign | fields);
    // Too large: away from zero that is infinity, towards it the largest finite number.
    const bool away =
        rounding == Rounding::kNearest || rounding == (sign != 0 ? Rounding::kDown : Rounding::kUp);
    return static_cast<unsigned short>(sign | (away ? kInfinity : kInfinity - 1));
  }

  static constexpr LOCKSTEP_INLINE float decode(unsigned int bits) {
    const unsigned int magnitude = bits & (kSign - 1);
    const unsigned int sign = (bits & kSign) != 0 ? 0x80000000u : 0;
    // The same fields at the places of a float's, then scaled to a float's exponents.
    const unsigned int shifted = magnitude << (23 - fraction_bits);
    if (magnitude >= kInfinity) return __builtin_bit_cast(float, sign | 0x7f800000u | shifted);
    const float scale =
        __builtin_bit_cast(float, static_cast<unsigned int>(127 + kMinExponent + 126) << 23);
    const float scaled = __builtin_bit_cast(float, shifted) * scale;
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned int, scaled) | sign);
  }

  // a b + c with one rounding. The product is exact in double; the sum may not be: rounded to odd,
  // it can be rounded once more without an error.
  static LOCKSTEP_INLINE unsigned short multiply_add(unsigned int a, unsigned int b,
                                                     unsigned int c) {
    const double product = static_cast<double>(decode(a)) * decode(b);
    const double addend = decode(c);
    double sum = product + addend;
    const double part = sum - product;
    const double lost = (product - (sum - part)) + (addend - part);
    auto bits = __builtin_bit_cast(unsigned long long, sum);
    if (lost > 0 || lost < 0) {  // not so for infinities and NaNs
      const bool away = (lost > 0) == (sum > 0);
      if ((bits & 1) == 0) bits += away ? 1 : -1;
      sum = __builtin_bit_cast(double, bits);
    }
    return encode(sum, Rounding::kNearest);
  }
};

}  // namespace lockstep
