// SPDX-License-Identifier: MIT
// Rounding to the small floating-point formats. Not for use outside src/host.
#pragma once

#include "simt/rounding.h"

namespace simt::internal {

// The exponent's and the fraction's bits of the number `magnitude` > 0, rounded, in a format whose
// normal numbers begin at 2^min_exponent. `negative`: it is that of a negative number.
double fields_of(double magnitude, int min_exponent, int fraction_bits, Rounding rounding,
                 bool negative);

}  // namespace simt::internal
