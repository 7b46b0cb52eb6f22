// SPDX-License-Identifier: MIT
// mutant of: 01_constant
// mistake: trivial: zeros
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "stencil.cuh"

namespace lab {

void filter_line(const float* /*d_in*/, int num_points, const float* /*d_weights*/, float* d_out,
                 Scratch& /*scratch*/, cudaStream_t stream) {
  check(cudaMemsetAsync(d_out, 0, num_points * sizeof(float), stream));
}

}  // namespace lab
