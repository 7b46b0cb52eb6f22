// SPDX-License-Identifier: MIT
#include "simt/float8.h"

#include <algorithm>
#include <cmath>

#include "float_fields.h"

namespace simt {
namespace {

constexpr std::uint8_t kNan = 0x7f;

template <class Format>
constexpr int kMinExponent = 2 - (1 << (Format::kExponentBits - 1));

}  // namespace

template <class Format>
std::uint8_t encode_float8(double value, bool saturates) {
  if (std::isnan(value)) return kNan;
  const unsigned sign = std::signbit(value) ? 0x80 : 0;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return static_cast<std::uint8_t>(sign);
  const double bits = std::isinf(magnitude)
                          ? magnitude
                          : internal::fields_of(magnitude, kMinExponent<Format>,
                                                Format::kFractionBits, Rounding::kNearest, false);
  const unsigned too_large = saturates ? Format::kLargest : Format::kOverflow;
  const unsigned fields = bits <= Format::kLargest ? static_cast<unsigned>(bits) : too_large;
  return static_cast<std::uint8_t>(sign | fields);
}

template <class Format>
float decode_float8(std::uint8_t bits) {
  const unsigned magnitude = bits & 0x7fu;
  const float sign = (bits & 0x80u) != 0 ? -1.0f : 1.0f;
  if (magnitude > Format::kLargest) {
    const bool is_infinite = magnitude == Format::kOverflow && Format::kOverflow != kNan;
    return is_infinite ? sign * INFINITY : NAN;
  }
  const auto exponent = static_cast<int>(magnitude >> Format::kFractionBits);
  const unsigned one = 1u << Format::kFractionBits;
  const unsigned fraction = (magnitude & (one - 1)) | (exponent > 0 ? one : 0);
  const int scale = std::max(exponent - 1, 0) + kMinExponent<Format> - Format::kFractionBits;
  return std::ldexp(sign * static_cast<float>(fraction), scale);
}

#define SIMT_FORMAT(Format)                                  \
  template std::uint8_t encode_float8<Format>(double, bool); \
  template float decode_float8<Format>(std::uint8_t);
SIMT_FORMAT(E4m3Format)
SIMT_FORMAT(E5m2Format)
#undef SIMT_FORMAT

}  // namespace simt
