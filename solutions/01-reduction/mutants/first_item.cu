// SPDX-License-Identifier: MIT
// mutant of: 02_interleaved
// mistake: trivial: a copy of the first item
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "reduction.cuh"

namespace lab {

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& /*scratch*/,
                cudaStream_t stream) {
  check(cudaMemsetAsync(d_out, 0, sizeof(float), stream));
  if (num_items == 0) return;
  check(cudaMemcpyAsync(d_out, d_in, sizeof(float), cudaMemcpyDeviceToDevice, stream));
}

}  // namespace lab
