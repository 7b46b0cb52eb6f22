// SPDX-License-Identifier: MIT
// Sums of 16-bit floating-point numbers, for atomics.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace run {

// The sum of two halves is exact in float except for its own rounding, which the exact sum in
// double avoids: rounded once.
struct Half {
  static double wide(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
    if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
    if (exponent == 0) return sign * std::ldexp(fraction, -24);
    return sign * std::ldexp(1024 + fraction, exponent - 25);
  }
  static std::uint16_t narrow(double value) {
    if (std::isnan(value)) return 0x7fff;
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double size = std::fabs(value);
    if (size >= 65520.0) return sign | 0x7c00;
    if (size < 0x1p-14) {
      return static_cast<std::uint16_t>(sign |
                                        static_cast<int>(std::nearbyint(std::ldexp(size, 24))));
    }
    int exponent = 0;
    const double fraction = std::frexp(size, &exponent);  // in [0.5, 1)
    const int digits = static_cast<int>(std::nearbyint(std::ldexp(fraction, 11)));
    return static_cast<std::uint16_t>(sign | (((exponent + 13) << 10) + digits));
  }
  static std::uint16_t add(std::uint16_t a, std::uint16_t b) { return narrow(wide(a) + wide(b)); }
};

struct BFloat {
  static float wide(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
  // The sum in double is exact unless exponents are far apart; then float's rounding to odd bits
  // cannot matter for 8 digits.
  static std::uint16_t narrow(double value) {
    if (std::isnan(value)) return 0x7fff;
    const auto single = static_cast<float>(value);
    std::uint32_t bits = std::bit_cast<std::uint32_t>(single);
    if (static_cast<double>(single) != value) bits |= 1;  // sticky
    const std::uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
    return static_cast<std::uint16_t>(rounded >> 16);
  }
  static std::uint16_t add(std::uint16_t a, std::uint16_t b) {
    return narrow(static_cast<double>(wide(a)) + static_cast<double>(wide(b)));
  }
};

}  // namespace run
