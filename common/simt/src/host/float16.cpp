// SPDX-License-Identifier: MIT
#include "simt/float16.h"

#include <bit>
#include <cmath>

#include "float_fields.h"

namespace simt {
namespace {

// The exponent's and the fraction's bits of a number that is normal in the format, rounded to the
// nearest, to an even one in the middle.
template <class Layout>
std::uint64_t nearest_fields(double magnitude) {
  constexpr int kDoubleFractionBits = 52, kDoubleMinExponent = -1022;
  constexpr int kLostBits = kDoubleFractionBits - Layout::kFractionBits;
  constexpr auto kRebias = static_cast<std::uint64_t>(Layout::kMinExponent - kDoubleMinExponent)
                           << kDoubleFractionBits;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(magnitude) - kRebias;
  const std::uint64_t is_odd = bits >> kLostBits & 1;
  return (bits + (std::uint64_t{1} << (kLostBits - 1)) - 1 + is_odd) >> kLostBits;
}

template <class Format>
struct Layout {
  static constexpr int kFractionBits = Format::kFractionBits;
  static constexpr int kMinExponent = 2 - (1 << (Format::kExponentBits - 1));
  static constexpr double kMinNormal =
      std::bit_cast<double>(static_cast<std::uint64_t>(1023 + kMinExponent) << 52);
  static constexpr std::uint32_t kInfinity = ((1u << Format::kExponentBits) - 1) << kFractionBits;
  static constexpr std::uint16_t kNan = 0x7fff;
};

}  // namespace

template <class Format>
std::uint16_t encode_float16(double value, Rounding rounding) {
  using L = Layout<Format>;
  if (std::isnan(value)) return L::kNan;
  const bool negative = std::signbit(value);
  const std::uint16_t sign = negative ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return static_cast<std::uint16_t>(sign | L::kInfinity);
  if (magnitude == 0) return sign;
  const double bits =
      rounding == Rounding::kNearest && magnitude >= L::kMinNormal
          ? static_cast<double>(nearest_fields<L>(magnitude))
          : internal::fields_of(magnitude, L::kMinExponent, L::kFractionBits, rounding, negative);
  if (bits < L::kInfinity) return static_cast<std::uint16_t>(sign | static_cast<unsigned>(bits));
  // Too large: away from zero that is infinity, towards it the largest finite number.
  const bool away = rounding == Rounding::kNearest || (rounding == Rounding::kUp && !negative) ||
                    (rounding == Rounding::kDown && negative);
  return static_cast<std::uint16_t>(sign | (away ? L::kInfinity : L::kInfinity - 1));
}

template <class Format>
float decode_float16(std::uint16_t bits) {
  using L = Layout<Format>;
  const std::uint32_t magnitude = bits & 0x7fffu;
  // The same fields at the places of a float's, then scaled to a float's exponents.
  const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16;
  const std::uint32_t shifted = magnitude << (23 - L::kFractionBits);
  if (magnitude >= L::kInfinity) {
    return std::bit_cast<float>(sign | 0x7f800000u | shifted);
  }
  constexpr int kFloatMinExponent = -126;
  const float scale = std::bit_cast<float>(
      static_cast<std::uint32_t>(127 + L::kMinExponent - kFloatMinExponent) << 23);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(std::bit_cast<float>(shifted) * scale) |
                              sign);
}

template <class Format>
std::uint16_t multiply_add_float16(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  // The product is exact in double; the sum may not be. Rounded to odd, it can be rounded once more
  // without an error.
  const double product = static_cast<double>(decode_float16<Format>(a)) * decode_float16<Format>(b);
  const double addend = decode_float16<Format>(c);
  double sum = product + addend;
  if (std::isfinite(sum)) {
    const double part = sum - product;
    const double lost = (product - (sum - part)) + (addend - part);
    if (lost != 0 && (std::bit_cast<std::uint64_t>(sum) & 1) == 0) {
      sum = std::nextafter(sum, lost > 0 ? INFINITY : -INFINITY);
    }
  }
  return encode_float16<Format>(sum, Rounding::kNearest);
}

#define SIMT_FORMAT(Format)                                        \
  template std::uint16_t encode_float16<Format>(double, Rounding); \
  template float decode_float16<Format>(std::uint16_t);            \
  template std::uint16_t multiply_add_float16<Format>(std::uint16_t, std::uint16_t, std::uint16_t);
SIMT_FORMAT(HalfFormat)
SIMT_FORMAT(BfloatFormat)
#undef SIMT_FORMAT

}  // namespace simt
