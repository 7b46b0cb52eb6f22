// SPDX-License-Identifier: MIT
// mutant of: 01_naive
// mistake: trivial: zeros
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "matmul.cuh"

namespace lab {

void matmul(const float* /*d_a*/, const float* /*d_b*/, int num_rows, int num_cols, int /*depth*/,
            float* d_c, Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;
  check(cudaMemsetAsync(d_c, 0, sizeof(float) * num_rows * num_cols, stream));
}

}  // namespace lab
