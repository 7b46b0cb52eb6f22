// SPDX-License-Identifier: MIT
// mutant of: 06_depth_of_field
// mistake: trivial: zeros
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "summed_area_table.cuh"

namespace lab {

void depth_of_field(const int* /*d_tables*/, const unsigned char* /*d_nearness*/, int width,
                    int height, int /*focus*/, int /*max_radius*/, unsigned char* d_out,
                    Scratch& /*scratch*/, cudaStream_t stream) {
  check(cudaMemsetAsync(d_out, 0, 3 * static_cast<std::size_t>(width) * height, stream));
}

}  // namespace lab
