// SPDX-License-Identifier: MIT
// mutant of: 01_naive
// mistake: trivial: as much of A as fits into C
// expect: failed wrong_result
// also: output_unwritten
#include "lab/cuda_error.cuh"
#include "matmul.cuh"

namespace lab {

void matmul(const float* d_a, const float* /*d_b*/, int num_rows, int num_cols, int depth,
            float* d_c, Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;
  const int num_words = num_rows * (num_cols < depth ? num_cols : depth);
  check(cudaMemcpyAsync(d_c, d_a, sizeof(float) * num_words, cudaMemcpyDeviceToDevice, stream));
}

}  // namespace lab
