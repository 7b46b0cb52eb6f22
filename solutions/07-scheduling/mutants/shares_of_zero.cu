// SPDX-License-Identifier: MIT
// mutant of: 08_softmax
// mistake: trivial: zeros
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "scheduling.cuh"

namespace lab {

void softmax(const float* /*d_in*/, int num_rows, int row_length, float* d_out,
             cudaStream_t stream) {
  check(cudaMemsetAsync(d_out, 0, num_rows * row_length * sizeof(float), stream));
}

}  // namespace lab
