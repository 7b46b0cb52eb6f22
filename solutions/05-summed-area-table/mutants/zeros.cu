// SPDX-License-Identifier: MIT
// mutant of: 01_row_then_column
// mistake: trivial: zeros
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "summed_area_table.cuh"

namespace lab {

void summed_area_table(const int* /*d_in*/, int width, int height, int* d_out, Scratch& /*scratch*/,
                       cudaStream_t stream) {
  check(cudaMemsetAsync(d_out, 0, sizeof(int) * width * height, stream));
}

void summed_area_table_float(const float* /*d_in*/, int width, int height, float* d_out,
                             Scratch& /*scratch*/, cudaStream_t stream) {
  check(cudaMemsetAsync(d_out, 0, sizeof(float) * width * height, stream));
}

}  // namespace lab
