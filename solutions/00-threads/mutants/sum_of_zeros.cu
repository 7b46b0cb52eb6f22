// SPDX-License-Identifier: MIT
// mutant of: 01_matrix_add
// mistake: trivial: zeros
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "threads.cuh"

namespace lab {

void matrix_add(const float* /*d_a*/, const float* /*d_b*/, int width, int height, float* d_sum,
                cudaStream_t stream) {
  check(cudaMemsetAsync(d_sum, 0, sizeof(float) * width * height, stream));
}

}  // namespace lab
