// SPDX-License-Identifier: MIT
#include "float_fields.h"

#include <algorithm>
#include <cmath>

namespace simt::internal {
namespace {

double round_magnitude(double magnitude, Rounding rounding, bool negative) {
  switch (rounding) {
    case Rounding::kZero:
      return std::trunc(magnitude);
    case Rounding::kUp:
      return negative ? std::trunc(magnitude) : std::ceil(magnitude);
    case Rounding::kDown:
      return negative ? std::ceil(magnitude) : std::trunc(magnitude);
    case Rounding::kNearest:
      break;
  }
  return std::nearbyint(magnitude);
}

}  // namespace

double fields_of(double magnitude, int min_exponent, int fraction_bits, Rounding rounding,
                 bool negative) {
  // In units of the last place the number is an integer. Added to the exponent's field it carries
  // into it just where it should: subnormal to normal, and one exponent to the next.
  const int exponent = std::max(std::ilogb(magnitude), min_exponent);
  const double units = std::ldexp(magnitude, fraction_bits - exponent);
  const double rounded = round_magnitude(units, rounding, negative);
  return std::ldexp(exponent - min_exponent, fraction_bits) + rounded;
}

}  // namespace simt::internal
