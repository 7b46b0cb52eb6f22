// SPDX-License-Identifier: MIT
// mutant of: 01_rank
// mistake: trivial: a copy of both inputs, one after the other
// expect: failed wrong_result
// message: the two inputs follow each other, unmerged
#include "lab/cuda_error.cuh"
#include "merge.cuh"

namespace lab {

void merge(const Fraction* d_a, int num_a, const Fraction* d_b, int num_b, Fraction* d_out,
           Scratch& /*scratch*/, cudaStream_t stream) {
  check(cudaMemcpyAsync(d_out, d_a, num_a * sizeof(Fraction), cudaMemcpyDeviceToDevice, stream));
  check(cudaMemcpyAsync(d_out + num_a, d_b, num_b * sizeof(Fraction), cudaMemcpyDeviceToDevice,
                        stream));
}

}  // namespace lab
