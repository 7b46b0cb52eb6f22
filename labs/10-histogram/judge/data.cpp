// SPDX-License-Identifier: MIT
#include "data.h"

#include <array>
#include <cmath>
#include <limits>

namespace lab_judge {
namespace {

using judge::random_bits;
using judge::random_unit;
using lab::EvenBins;

// A sample in the inner half of a bin.
float inside(const EvenBins& bins, int bin, float unit) {
  const float width = (bins.upper - bins.lower) / static_cast<float>(bins.num_bins);
  return bins.lower + (static_cast<float>(bin) + 0.25F + unit / 2) * width;
}

float uniform(std::uint64_t seed, int index, const EvenBins& bins) {
  const float position = random_unit(seed, index) * 1.25F - 0.125F;
  return bins.lower + position * (bins.upper - bins.lower);
}

float skewed(std::uint64_t seed, int index, const EvenBins& bins) {
  if (!is_hot(seed, index)) return uniform(seed, index, bins);
  return inside(bins, hot_bin(seed, bins.num_bins), random_unit(seed, index));
}

float of_one_bin(std::uint64_t seed, int index, const EvenBins& bins) {
  return inside(bins, hot_bin(seed, bins.num_bins), random_unit(seed, index));
}

float in_runs(std::uint64_t seed, int index, const EvenBins& bins) {
  return uniform(seed, index / 777, bins);
}

float at_the_ends(std::uint64_t seed, int index, const EvenBins& bins) {
  const bool is_first = random_bits(~seed, index) % 3 == 0;
  return inside(bins, is_first ? 0 : bins.num_bins - 1, random_unit(seed, index));
}

float outside(std::uint64_t seed, int index, const EvenBins& bins) {
  if (random_bits(~seed, index) % 8 == 0) return uniform(seed, index, bins);
  const float far = (1 + random_unit(seed, index)) * (bins.upper - bins.lower);
  return random_bits(~seed, index) % 3 == 0 ? bins.lower - far : bins.upper + far;
}

// The ends of the range, their neighbours among the floats, and what is not in order.
float special(std::uint64_t seed, int index, const EvenBins& bins) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::array<float, 8> values = {bins.lower,
                                       bins.upper,
                                       std::nextafter(bins.lower, -kInfinity),
                                       std::nextafter(bins.upper, -kInfinity),
                                       std::numeric_limits<float>::quiet_NaN(),
                                       kInfinity,
                                       -kInfinity,
                                       uniform(seed, index, bins)};
  return values[random_bits(~seed, index) % values.size()];
}

}  // namespace

EvenBins random_bins(std::uint64_t seed, int num_bins) {
  const float lower = random_unit(seed, 0) * 200 - 100;
  const float upper = lower + 1 + random_unit(seed, 1) * 100;
  return {num_bins, lower, upper};
}

const Spread kUniform = {"spread evenly over the range and a little beyond it", uniform};

const std::vector<Spread> kSpreads = {
    kUniform,
    {"nearly all in one bin", skewed},
    {"all in one bin", of_one_bin},
    {"in long runs of equal samples", in_runs},
    {"in the first and the last bin", at_the_ends},
    {"mostly outside the range", outside},
    {"at the ends of the range, infinite, or NaN", special},
};

std::vector<float> make_samples(std::uint64_t seed, int num_samples, const EvenBins& bins,
                                const Spread& spread) {
  std::vector<float> h_samples(num_samples);
  for (int i = 0; i < num_samples; ++i) h_samples[i] = spread.sample(seed, i, bins);
  return h_samples;
}

}  // namespace lab_judge
