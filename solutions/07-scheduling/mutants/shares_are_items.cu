// SPDX-License-Identifier: MIT
// mutant of: 08_softmax
// mistake: trivial: copies of the input
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "scheduling.cuh"

namespace lab {

void softmax(const float* d_in, int num_rows, int row_length, float* d_out, cudaStream_t stream) {
  const std::size_t size_bytes = num_rows * row_length * sizeof(float);
  check(cudaMemcpyAsync(d_out, d_in, size_bytes, cudaMemcpyDeviceToDevice, stream));
}

}  // namespace lab
