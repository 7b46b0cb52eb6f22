// SPDX-License-Identifier: MIT
#include <cub/device/device_reduce.cuh>

#include "anchors.cuh"
#include "lab/cuda_error.cuh"

namespace lab {

void cub_reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  std::size_t temporary_bytes = 0;
  check(cub::DeviceReduce::Sum(nullptr, temporary_bytes, d_in, d_out, num_items, stream));
  char* const d_temporary = scratch.allocate<char>(temporary_bytes);
  check(cub::DeviceReduce::Sum(d_temporary, temporary_bytes, d_in, d_out, num_items, stream));
}

}  // namespace lab
