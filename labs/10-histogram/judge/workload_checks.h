// SPDX-License-Identifier: MIT
// Makes and checks timed inputs of gigabytes in device memory. All pointers are to device memory
// (cpu backend: to shared host memory).
#pragma once

#include <cstddef>
#include <cstdint>

#include "histogram.cuh"

namespace lab_judge {

// Everything about one input.
struct Input {
  std::uint64_t seed;
  std::size_t num_samples;
  lab::EvenBins bins;  // over [0, 1)
  bool is_skewed;
};

void fill(float* d_samples, const Input& input);

// Whether d_counts has the counts of d_samples.
bool are_counts_of(const float* d_samples, const Input& input, const unsigned int* d_counts);

}  // namespace lab_judge
