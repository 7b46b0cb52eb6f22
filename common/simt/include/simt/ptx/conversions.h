// SPDX-License-Identifier: MIT
// What conversions of inline PTX become.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "simt/ptx/arithmetic.h"
#include "simt/ptx/register.h"
#include "simt/rounding.h"

namespace simt::ptx {

// is_whole: a float to an integer's value, as float.
template <class To, class From>
SIMT_INLINE To convert(From value, Rounding rounding, bool is_whole, bool saturates) {
  constexpr bool kFromFloat = !std::is_integral_v<From>;
  constexpr bool kToFloat = !std::is_integral_v<To>;
  if constexpr (kFromFloat && kToFloat) {
    auto x = static_cast<double>(value);
    if (is_whole) {
      x = rounding == Rounding::kZero   ? std::trunc(x)
          : rounding == Rounding::kDown ? std::floor(x)
          : rounding == Rounding::kUp   ? std::ceil(x)
                                        : std::nearbyint(x);
    }
    if (saturates) x = saturated(x);
    if constexpr (std::is_same_v<To, double>) {
      return x;
    } else if constexpr (std::is_same_v<To, float>) {
      return to_float(rounding, x);
    } else {
      return To::rounded(x, rounding);
    }
  } else if constexpr (kFromFloat) {  // out of range: the nearest limit
    using Whole = std::conditional_t<sizeof(To) == 8, To,
                                     std::conditional_t<std::is_signed_v<To>, int, unsigned>>;
    const Whole whole = to_integer<Whole>(rounding, static_cast<double>(value));
    if constexpr (sizeof(To) < 4) {
      const Whole low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
      return static_cast<To>(whole < low ? low : whole > high ? high : whole);
    } else {
      return whole;
    }
  } else if constexpr (kToFloat) {
    using Whole = std::conditional_t<std::is_signed_v<From>, long long, unsigned long long>;
    if constexpr (std::is_same_v<To, double>) {
      return to_double(rounding, static_cast<Whole>(value));
    } else if constexpr (std::is_same_v<To, float>) {
      return to_float(rounding, static_cast<Whole>(value));
    } else {
      return To::rounded(static_cast<double>(value), rounding);
    }
  } else {
    if (!saturates) return static_cast<To>(value);
    const auto wide = static_cast<__int128>(value);
    const __int128 low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
    return static_cast<To>(wide < low ? low : wide > high ? high : wide);
  }
}

}  // namespace simt::ptx
