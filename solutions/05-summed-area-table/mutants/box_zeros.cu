// SPDX-License-Identifier: MIT
// mutant of: 05_box_filter
// mistake: trivial: zeros
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "summed_area_table.cuh"

namespace lab {

void box_filter(const int* /*d_table*/, int width, int height, int /*window_width*/,
                int /*window_height*/, float* d_out, Scratch& /*scratch*/, cudaStream_t stream) {
  check(cudaMemsetAsync(d_out, 0, sizeof(float) * width * height, stream));
}

}  // namespace lab
