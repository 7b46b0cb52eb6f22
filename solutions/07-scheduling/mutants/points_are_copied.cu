// SPDX-License-Identifier: MIT
// mutant of: 07_coalescing
// mistake: trivial: copies of the input, and one sector for everything
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "scheduling.cuh"

namespace lab {

AccessCost classify_access(int /*element_bytes*/, int /*offset*/, int /*stride_x*/,
                           int /*stride_y*/, int /*block_width*/) {
  return {1, true};
}

MatmulCost classify_matmul(int /*width*/, int /*block_width*/, bool /*column_from_x*/) {
  return {{1, true}, {1, true}, {1, true}};
}

void split_points(const float* d_points, int num_points, float* d_x, float* d_y, float* d_z,
                  cudaStream_t stream) {
  const std::size_t size_bytes = num_points * sizeof(float);
  check(cudaMemcpyAsync(d_x, d_points, size_bytes, cudaMemcpyDeviceToDevice, stream));
  check(cudaMemcpyAsync(d_y, d_points + num_points, size_bytes, cudaMemcpyDeviceToDevice, stream));
  check(cudaMemcpyAsync(d_z, d_points + 2 * num_points, size_bytes, cudaMemcpyDeviceToDevice,
                        stream));
}

}  // namespace lab
