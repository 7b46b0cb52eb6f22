// SPDX-License-Identifier: MIT
// mutant of: 05_divergence
// mistake: trivial: zeros
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "scheduling.cuh"

namespace lab {

void divergent_warps(int num_threads, Tree /*tree*/, int* h_warps) {
  for (int stride = 1; stride <= num_threads; stride *= 2) *h_warps++ = 0;
}

void evaluate_curves(const Sample* /*d_samples*/, int num_samples, const float* /*d_coefficients*/,
                     Curve* d_curves, cudaStream_t stream) {
  check(cudaMemsetAsync(d_curves, 0, num_samples * sizeof(Curve), stream));
}

}  // namespace lab
