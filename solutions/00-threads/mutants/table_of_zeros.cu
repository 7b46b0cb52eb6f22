// SPDX-License-Identifier: MIT
// mutant of: 05_host_flow
// mistake: trivial: zeros
// expect: failed wrong_result
// also: crash
#include "lab/cuda_error.cuh"
#include "threads.cuh"

namespace lab {

void multiplication_table(const float* /*h_left*/, int num_rows, const float* /*h_top*/,
                          int num_columns, float* h_table) {
  for (std::size_t i = 0; i < std::size_t(num_rows) * num_columns; ++i) h_table[i] = 0;
}

}  // namespace lab
