// SPDX-License-Identifier: MIT
// mutant of: 01_global_atomics
// mistake: trivial: zeros
// expect: failed wrong_result
#include "histogram.cuh"
#include "lab/cuda_error.cuh"

namespace lab {

void histogram(const float* /*d_in*/, int num_items, float* d_out, Scratch& /*scratch*/,
               cudaStream_t stream) {
  if (num_items > 0) check(cudaMemsetAsync(d_out, 0, sizeof(float) * num_items, stream));
}

}  // namespace lab
