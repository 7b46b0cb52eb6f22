// SPDX-License-Identifier: MIT
// mutant of: 03_causal
// mistake: trivial: zeros
// expect: failed wrong_result
#include "attention.cuh"
#include "lab/cuda_error.cuh"

namespace lab {

void causal_attention(const float* /*d_q*/, const float* /*d_k*/, const float* /*d_v*/,
                      int num_heads, int length, float* d_out, Scratch& /*scratch*/,
                      cudaStream_t stream) {
  const std::size_t num_elements = std::size_t{1} * num_heads * length * kHeadSize;
  if (num_elements == 0) return;
  check(cudaMemsetAsync(d_out, 0, sizeof(float) * num_elements, stream));
}

}  // namespace lab
