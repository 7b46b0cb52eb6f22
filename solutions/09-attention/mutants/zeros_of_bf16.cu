// SPDX-License-Identifier: MIT
// mutant of: 05_tensor_cores
// mistake: trivial: zeros
// expect: failed wrong_result
#include "attention.cuh"
#include "lab/cuda_error.cuh"

namespace lab {

void attention_bf16(const __nv_bfloat16* /*d_q*/, const __nv_bfloat16* /*d_k*/,
                    const __nv_bfloat16* /*d_v*/, int num_heads, int num_queries, int /*num_keys*/,
                    __nv_bfloat16* d_out, Scratch& /*scratch*/, cudaStream_t stream) {
  const std::size_t num_elements = std::size_t{1} * num_heads * num_queries * kHeadSize;
  if (num_elements == 0) return;
  check(cudaMemsetAsync(d_out, 0, sizeof(__nv_bfloat16) * num_elements, stream));
}

}  // namespace lab
