// SPDX-License-Identifier: MIT
// mutant of: 05_divergence
// mistake: trivial: copies of the input, and as many warps as there are
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scheduling.cuh"

namespace lab {

void divergent_warps(int num_threads, Tree /*tree*/, int* h_warps) {
  for (int stride = 1; stride <= num_threads; stride *= 2) {
    *h_warps++ = ceil_div(num_threads, kWarpSize);
  }
}

void evaluate_curves(const Sample* d_samples, int num_samples, const float* /*d_coefficients*/,
                     Curve* d_curves, cudaStream_t stream) {
  check(cudaMemcpyAsync(d_curves, d_samples, num_samples * sizeof(Curve), cudaMemcpyDeviceToDevice,
                        stream));
}

}  // namespace lab
