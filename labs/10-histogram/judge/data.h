// SPDX-License-Identifier: MIT
// Inputs for histograms: random samples, with a choice of how they fall into the bins.
#pragma once

#include <cstdint>
#include <vector>

#include "fixture/host_device.h"
#include "fixture/test_data.h"
#include "histogram.cuh"

namespace lab_judge {

// Bins over a random range, whose ends are no round numbers.
lab::EvenBins random_bins(std::uint64_t seed, int num_bins);

// How samples fall into the bins.
struct Spread {
  const char* name;  // completes "samples that are ..."
  float (*sample)(std::uint64_t seed, int index, const lab::EvenBins& bins);
};
extern const Spread kUniform;  // over the range, with one sample in five outside
extern const std::vector<Spread> kSpreads;

std::vector<float> make_samples(std::uint64_t seed, int num_samples, const lab::EvenBins& bins,
                                const Spread& spread);

// The bin that gets nearly all samples of a skewed input.
LOCKSTEP_HOST_DEVICE inline int hot_bin(std::uint64_t seed, int num_bins) {
  return static_cast<int>(judge::random_bits(~seed, 0) % static_cast<std::uint64_t>(num_bins));
}

// One sample in 64 of a skewed input is not in the hot bin's middle, but anywhere in [0, 1).
LOCKSTEP_HOST_DEVICE inline bool is_hot(std::uint64_t seed, std::uint64_t index) {
  return judge::random_bits(~seed, index + 1) % 64 != 0;
}

}  // namespace lab_judge
