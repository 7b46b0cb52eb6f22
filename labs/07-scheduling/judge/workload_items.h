// SPDX-License-Identifier: MIT
// What rungs 05 and 07b to 08 compute with, and what of it is right: on the host and in device
// code.
#pragma once

#include "fixture/host_device.h"
#include "fixture/test_data.h"
#include "scheduling.cuh"

namespace lab_judge {

// ---- 05_divergence: x in [-3, 3] and coefficients in [-9, 9], whole numbers, so that values and
// slopes stay below 2^24 in any way to evaluate them.
inline constexpr int kXLimit = 3;
inline constexpr int kCoefficientLimit = 9;

LOCKSTEP_HOST_DEVICE inline lab::Sample random_sample(std::uint64_t seed, std::uint64_t index) {
  return {judge::random_integer(seed, index, kXLimit),
          static_cast<int>(judge::random_bits(~seed, index) % lab::kNumKinds)};
}

// The curve of given terms at x, by powers. terms(j) is the coefficient of x^j.
template <class Terms>
LOCKSTEP_HOST_DEVICE lab::Curve curve_by_powers(float x, Terms terms) {
  lab::Curve curve = {0, 0};
  float power = 1;
  float power_below = 0;
  for (int j = 0; j < lab::kNumTerms; ++j) {
    curve.value += terms(j) * power;
    curve.slope += static_cast<float>(j) * terms(j) * power_below;
    power_below = power;
    power *= x;
  }
  return curve;
}

// ---- 07b to 08: whether `got` is the share of an item that is `distance` below its row's
// maximum, within the contract's error.
LOCKSTEP_HOST_DEVICE inline bool is_share(float got, double expected, double distance,
                                          int row_length) {
  const double factor = (64 + 4 * distance + row_length / 32.0) * 0x1p-24;
  const double error = got - expected;
  // An item at -infinity has no share; infinity * 0 would allow anything, as it is a NaN.
  const double allowed = (expected == 0 ? 0 : expected * factor) + 0x1p-126;
  return error <= allowed && -error <= allowed;  // a NaN is neither
}

}  // namespace lab_judge
