// SPDX-License-Identifier: MIT
// Numbers of a distribution from random bits.
//   normal   G. Box and M. Muller, "A note on the generation of random normal deviates", 1958
//   Poisson  by counting: D. Knuth, "Seminumerical Algorithms", 3.4.1; by transformed rejection
//            (PTRS): W. Hoermann, "The transformed rejection method for generating Poisson random
//            variables", 1993
#pragma once

#include <cmath>
#include <cstdint>

#include "lockstep/host_math.h"
#include "lockstep/keywords.h"
#include "lockstep/math.h"
#include "lockstep/vector_types.h"

namespace lockstep {

inline constexpr float kTwoToMinus32 = 0x1p-32F;
inline constexpr double kTwoToMinus53 = 0x1p-53;
inline constexpr double kPi = 3.14159265358979323846;

// In (0, 1]: the middle of the bits' interval, rounded.
LOCKSTEP_INLINE float uniform(std::uint32_t bits) {
  return static_cast<float>(bits) * kTwoToMinus32 + kTwoToMinus32 / 2;
}
LOCKSTEP_INLINE double uniform_double(std::uint32_t bits) { return bits * 0x1p-32 + 0x1p-32; }
// Of 53 bits: the second word's lie above the first one's, and overlap with these.
LOCKSTEP_INLINE double uniform_double(std::uint32_t low, std::uint32_t high) {
  const std::uint64_t bits = low ^ std::uint64_t{high} << 21;
  return static_cast<double>(bits) * kTwoToMinus53 + kTwoToMinus53 / 2;
}

// MRG32k3a's numbers are no words of random bits, but lie in [1, kMrgModulus[0]].
LOCKSTEP_INLINE double uniform_of_mrg(std::uint32_t number) {
  return number * 2.3283065498378288e-10;
}
LOCKSTEP_INLINE std::uint32_t bits_of_mrg(std::uint32_t number) {
  return static_cast<std::uint32_t>(number * 1.000000048662);
}

// From a uniform number and an angle.
LOCKSTEP_INLINE float2 normal_pair(float uniform, float angle) {
  const float radius = std::sqrt(-2 * std::log(uniform));
  return {radius * std::sin(angle), radius * std::cos(angle)};
}
LOCKSTEP_INLINE double2 normal_pair(double uniform, double angle) {
  const double radius = std::sqrt(-2 * std::log(uniform));
  return {radius * std::sin(angle), radius * std::cos(angle)};
}

LOCKSTEP_INLINE float2 box_muller(std::uint32_t radius_bits, std::uint32_t angle_bits) {
  constexpr float kStep = kTwoToMinus32 * static_cast<float>(2 * kPi);
  return normal_pair(uniform(radius_bits), static_cast<float>(angle_bits) * kStep + kStep / 2);
}
LOCKSTEP_INLINE double2 box_muller_double(uint4 bits) {
  return normal_pair(uniform_double(bits.x, bits.y), 2 * uniform_double(bits.z, bits.w) * kPi);
}
LOCKSTEP_INLINE float2 box_muller_of_mrg(std::uint32_t radius, std::uint32_t angle) {
  return normal_pair(static_cast<float>(uniform_of_mrg(radius)),
                     static_cast<float>(uniform_of_mrg(angle)) * static_cast<float>(2 * kPi));
}
LOCKSTEP_INLINE double2 box_muller_double_of_mrg(std::uint32_t radius, std::uint32_t angle) {
  return normal_pair(uniform_of_mrg(radius), 2 * uniform_of_mrg(angle) * kPi);
}

// Of words of Sobol's sequences, of 32 or 64 bits, whose upper bits count most.
LOCKSTEP_INLINE float uniform(unsigned long long word) {
  return uniform(static_cast<std::uint32_t>(word >> 32));
}
LOCKSTEP_INLINE double uniform_double(unsigned long long word) {
  return static_cast<double>(word >> 11) * kTwoToMinus53 + kTwoToMinus53 / 2;
}
// The normal number that is larger with this probability. Exact at both ends.
LOCKSTEP_INLINE float normal_above(std::uint32_t word) {
  const bool is_upper = word > 0x80000000U;
  const float p = uniform(is_upper ? ~word : word);
  return is_upper ? normcdfinvf(p) : -normcdfinvf(p);
}
LOCKSTEP_INLINE float normal_above(unsigned long long word) {
  return normal_above(static_cast<std::uint32_t>(word >> 32));
}
LOCKSTEP_INLINE double normal_above_double(std::uint32_t word) {
  const bool is_upper = word > 0x80000000U;
  const double p = (is_upper ? ~word : word) * 0x1p-32 + 0x1p-33;
  return is_upper ? normcdfinv(p) : -normcdfinv(p);
}
LOCKSTEP_INLINE double normal_above_double(unsigned long long word) {
  const bool is_upper = word >> 11 > 1ULL << 52;
  const double p = uniform_double(is_upper ? ~word : word);
  return is_upper ? normcdfinv(p) : -normcdfinv(p);
}

// The result of a Poisson distribution with a large mean from a normal number.
LOCKSTEP_INLINE unsigned poisson_of_normal(double mean, double normal) {
  return static_cast<unsigned>(std::floor(std::sqrt(mean) * normal + mean + 0.5));
}

// next() gives a uniform number in (0, 1].
template <class Next>
LOCKSTEP_INLINE unsigned poisson_by_counting(float mean, Next next) {
  float product = std::exp(mean);
  unsigned count = 0;
  while ((product *= next()) > 1) ++count;
  return count;
}

template <class Next>
LOCKSTEP_INLINE unsigned poisson_by_rejection(double mean, Next next) {
  const double b = 0.931 + 2.53 * std::sqrt(mean);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double quick = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = static_cast<double>(next()) - 0.5;
    const double v = next();
    const double distance = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / distance + b) * u + mean + 0.43);
    if (distance >= 0.07 && v <= quick) return static_cast<unsigned>(k);
    if (k < 0 || (distance < 0.013 && v > distance)) continue;
    const double bound = std::log(v * inverse_alpha / (a / (distance * distance) + b));
    if (bound <= k * std::log(mean) - mean - std::lgamma(k + 1)) return static_cast<unsigned>(k);
  }
}

// The least count that is not exceeded with the probability `uniform`.
LOCKSTEP_INLINE unsigned poisson_at_most(double mean, double uniform) {
  const double first = std::floor(fmax(mean - 12 * std::sqrt(mean) - 40, 0.0));
  auto count = static_cast<unsigned>(first);
  double probability = std::exp(first * std::log(mean) - mean - std::lgamma(first + 1));
  double sum = probability;
  while (sum < uniform && probability > 0) {
    probability *= mean / ++count;
    sum += probability;
  }
  return count;
}

}  // namespace lockstep
