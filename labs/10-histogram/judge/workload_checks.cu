// SPDX-License-Identifier: MIT
#include "data.h"
#include "fixture/device_loop.cuh"
#include "fixture/test_data.h"
#include "workload_checks.h"

namespace lab_judge {
namespace {

using judge::random_bits;
using judge::random_unit;
using judge::sum_over;

struct Fill {
  Input input;
  float* d_samples;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    const float unit = random_unit(input.seed, index);
    const int num_bins = input.bins.num_bins;
    const auto hot = static_cast<float>(hot_bin(input.seed, num_bins));
    const bool in_hot_bin = input.is_skewed && is_hot(input.seed, index);
    d_samples[index] = in_hot_bin ? (hot + 0.25F + unit / 2) / static_cast<float>(num_bins) : unit;
    return 0;
  }
};

// Each bin has a secret weight. Counts are right if they weigh as much as the samples do: wrong
// ones weigh the same with a probability of 2^-32 or less, as a count is off by less than 2^32.
struct WeightOfSample {
  std::uint64_t salt;
  lab::EvenBins bins;
  const float* d_samples;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    const int bin = bins.bin_of(d_samples[index]);
    return bin < 0 ? 0 : random_bits(salt, bin);
  }
};
struct WeightOfBin {
  std::uint64_t salt;
  const unsigned int* d_counts;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t bin) const {
    return d_counts[bin] * random_bits(salt, bin);
  }
};

}  // namespace

void fill(float* d_samples, const Input& input) {
  sum_over(input.num_samples, Fill{input, d_samples});
}

bool are_counts_of(const float* d_samples, const Input& input, const unsigned int* d_counts) {
  const std::uint64_t salt = ~input.seed;
  return sum_over(input.num_samples, WeightOfSample{salt, input.bins, d_samples}) ==
         sum_over(static_cast<std::size_t>(input.bins.num_bins), WeightOfBin{salt, d_counts});
}

}  // namespace lab_judge
