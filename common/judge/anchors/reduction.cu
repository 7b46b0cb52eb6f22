// SPDX-License-Identifier: MIT
#include <cub/device/device_reduce.cuh>

#include "anchors.cuh"
#include "cub_call.cuh"

namespace lab {

void cub_reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  call_cub(scratch, [&](void* d_temporary, std::size_t& temporary_bytes) {
    return cub::DeviceReduce::Sum(d_temporary, temporary_bytes, d_in, d_out, num_items, stream);
  });
}

}  // namespace lab
