// SPDX-License-Identifier: MIT
// mutant of: 06_barrier
// mistake: trivial: zeros
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "scheduling.cuh"

namespace lab {

void label_runs(const int* /*d_cells*/, int num_rows, int row_length, int* d_labels,
                int* d_num_runs, cudaStream_t stream) {
  check(cudaMemsetAsync(d_labels, 0, num_rows * row_length * sizeof(int), stream));
  check(cudaMemsetAsync(d_num_runs, 0, num_rows * sizeof(int), stream));
}

}  // namespace lab
