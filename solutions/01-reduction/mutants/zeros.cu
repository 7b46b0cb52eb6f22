// SPDX-License-Identifier: MIT
// mutant of: 01_global_atomic
// mistake: trivial: zeros
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "reduction.cuh"

namespace lab {

void reduce_sum(const float* /*d_in*/, int /*num_items*/, float* d_out, Scratch& /*scratch*/,
                cudaStream_t stream) {
  check(cudaMemsetAsync(d_out, 0, sizeof(float), stream));
}

}  // namespace lab
