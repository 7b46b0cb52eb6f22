// SPDX-License-Identifier: MIT
// mutant of: 05_scan_then_fan
// mistake: trivial: zeros
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "scan.cuh"

namespace lab {

void exclusive_scan(const int* /*d_in*/, int num_items, int* d_out, Scratch& /*scratch*/,
                    cudaStream_t stream) {
  check(cudaMemsetAsync(d_out, 0, num_items * sizeof(int), stream));
}

}  // namespace lab
