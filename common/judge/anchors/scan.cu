// SPDX-License-Identifier: MIT
#include <cub/device/device_scan.cuh>

#include "anchors.cuh"
#include "cub_call.cuh"

namespace lab {

void cub_exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                        cudaStream_t stream) {
  call_cub(scratch, [&](void* d_temporary, std::size_t& temporary_bytes) {
    return cub::DeviceScan::ExclusiveSum(d_temporary, temporary_bytes, d_in, d_out, num_items,
                                         stream);
  });
}

}  // namespace lab
