// SPDX-License-Identifier: MIT
// The contract of lab 10-histogram. Every rung defines histogram. Not edited by students.
#pragma once

#include <cuda_runtime.h>

#include "lab/scratch.cuh"

namespace lab {

constexpr int kMaxBins = 2048;         // of rungs 01 to 04
constexpr int kMaxManyBins = 1 << 18;  // of rungs 05 and 06

// Bins of equal width: num_bins of them cover the samples from `lower` up to, not including,
// `upper`. Small and trivially copyable, so it travels to a kernel as an argument.
struct EvenBins {
  int num_bins;
  float lower;
  float upper;
  float scale;  // bins per unit

  EvenBins(int num_bins, float lower, float upper)
      : num_bins(num_bins), lower(lower), upper(upper), scale(num_bins / (upper - lower)) {}

  // The bin of a sample, 0 to num_bins - 1, or -1 for a sample outside the range. A NaN is outside.
  // Inlined always, so that a mistake is reported in the line that calls it.
  __host__ __device__ __forceinline__ int bin_of(float sample) const {
    if (!(sample >= lower && sample < upper)) return -1;
    const int bin = static_cast<int>((sample - lower) * scale);
    return bin < num_bins ? bin : num_bins - 1;  // just below `upper`, the product may round up
  }
};

// Counts the samples of each bin of EvenBins(num_bins, lower, upper): d_counts[b] is the number of
// samples whose bin is b. Samples outside the range do not count.
//
//   d_samples     (num_samples)  device, read only, 256-byte aligned; may be null for no samples
//   num_bins      in [1, kMaxBins], in rungs 05 and 06 in [1, kMaxManyBins]
//   lower, upper  lower < upper, and their difference is finite
//   d_counts      (num_bins)  device, 256-byte aligned, overwritten; no overlap with d_samples
//   scratch       device memory for temporaries: at least 4 * num_samples bytes plus 64 KiB, with
//                 undefined contents; Scratch::allocate<T>(count) throws std::bad_alloc when it is
//                 used up
//   stream        all work is queued on it, and the host does not wait
//
// Throws lab::CudaError if a launch fails. num_samples in [0, 2^31).
void histogram(const float* d_samples, int num_samples, int num_bins, float lower, float upper,
               unsigned int* d_counts, Scratch& scratch, cudaStream_t stream);

}  // namespace lab
