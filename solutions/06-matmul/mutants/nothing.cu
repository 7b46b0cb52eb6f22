// SPDX-License-Identifier: MIT
// mutant of: 01_naive
// mistake: trivial: nothing is done
// expect: failed output_unwritten
// message: was never written
#include "matmul.cuh"

namespace lab {

void matmul(const float* /*d_a*/, const float* /*d_b*/, int /*num_rows*/, int /*num_cols*/,
            int /*depth*/, float* /*d_c*/, Scratch& /*scratch*/, cudaStream_t /*stream*/) {}

}  // namespace lab
