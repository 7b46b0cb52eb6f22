// SPDX-License-Identifier: MIT
// mutant of: 01_global_atomics
// mistake: trivial: zeros
// expect: failed wrong_result
#include "histogram.cuh"
#include "lab/cuda_error.cuh"

namespace lab {

void histogram(const float* /*d_samples*/, int /*num_samples*/, int num_bins, float /*lower*/,
               float /*upper*/, unsigned int* d_counts, Scratch& /*scratch*/, cudaStream_t stream) {
  check(cudaMemsetAsync(d_counts, 0, num_bins * sizeof(unsigned int), stream));
}

}  // namespace lab
