// SPDX-License-Identifier: MIT
// mutant of: 01_matrix_add
// mistake: trivial: a copy of the first input
// expect: failed wrong_result
// message: b is not added
#include "lab/cuda_error.cuh"
#include "threads.cuh"

namespace lab {

void matrix_add(const float* d_a, const float* /*d_b*/, int width, int height, float* d_sum,
                cudaStream_t stream) {
  check(cudaMemcpyAsync(d_sum, d_a, sizeof(float) * width * height, cudaMemcpyDeviceToDevice,
                        stream));
}

}  // namespace lab
