// SPDX-License-Identifier: MIT
// The right counts.
#pragma once

#include <span>
#include <vector>

#include "histogram.cuh"

namespace lab_judge {

using Counts = std::vector<unsigned int>;

inline Counts count_of(std::span<const float> h_samples, const lab::EvenBins& bins) {
  Counts h_counts(bins.num_bins);
  for (const float sample : h_samples) {
    const int bin = bins.bin_of(sample);
    if (bin >= 0) ++h_counts[bin];
  }
  return h_counts;
}

}  // namespace lab_judge
