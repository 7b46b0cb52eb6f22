// SPDX-License-Identifier: MIT
// mutant of: 01_thread_per_row
// mistake: trivial: zeros
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "sparse.cuh"

namespace lab {

void multiply(const int* /*d_offsets*/, const int* /*d_columns*/, const float* /*d_values*/,
              int num_rows, int /*num_columns*/, int /*num_nonzeros*/, const float* /*d_x*/,
              float* d_y, Scratch& /*scratch*/, cudaStream_t stream) {
  check(cudaMemsetAsync(d_y, 0, num_rows * sizeof(float), stream));
}

}  // namespace lab
