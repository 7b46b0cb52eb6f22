// SPDX-License-Identifier: MIT
// mutant of: 01_rank
// mistake: trivial: zeros
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "merge.cuh"

namespace lab {

void merge(const Fraction* /*d_a*/, int num_a, const Fraction* /*d_b*/, int num_b, Fraction* d_out,
           Scratch& /*scratch*/, cudaStream_t stream) {
  check(cudaMemsetAsync(d_out, 0, (num_a + num_b) * sizeof(Fraction), stream));
}

}  // namespace lab
