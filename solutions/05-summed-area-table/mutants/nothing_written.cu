// SPDX-License-Identifier: MIT
// mutant of: 01_row_then_column
// mistake: trivial: nothing is written
// expect: failed output_unwritten
// also: wrong_result
#include "summed_area_table.cuh"

namespace lab {

void summed_area_table(const int* /*d_in*/, int /*width*/, int /*height*/, int* /*d_out*/,
                       Scratch& /*scratch*/, cudaStream_t /*stream*/) {}

void summed_area_table_float(const float* /*d_in*/, int /*width*/, int /*height*/, float* /*d_out*/,
                             Scratch& /*scratch*/, cudaStream_t /*stream*/) {}

}  // namespace lab
