// SPDX-License-Identifier: MIT
// mutant of: 01_three_kernels
// mistake: trivial: a copy of the queries
// expect: failed wrong_result
#include "attention.cuh"
#include "lab/cuda_error.cuh"

namespace lab {

void attention(const float* d_q, const float* /*d_k*/, const float* /*d_v*/, int num_heads,
               int num_queries, int /*num_keys*/, float* d_out, Scratch& /*scratch*/,
               cudaStream_t stream) {
  const std::size_t num_elements = std::size_t{1} * num_heads * num_queries * kHeadSize;
  if (num_elements == 0) return;
  check(
      cudaMemcpyAsync(d_out, d_q, sizeof(float) * num_elements, cudaMemcpyDeviceToDevice, stream));
}

}  // namespace lab
