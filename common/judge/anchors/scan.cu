// SPDX-License-Identifier: MIT
#include <cub/device/device_scan.cuh>

#include "anchors.cuh"
#include "lab/cuda_error.cuh"

namespace lab {

void cub_exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                        cudaStream_t stream) {
  std::size_t temporary_bytes = 0;
  check(cub::DeviceScan::ExclusiveSum(nullptr, temporary_bytes, d_in, d_out, num_items, stream));
  char* const d_temporary = scratch.allocate<char>(temporary_bytes);
  check(
      cub::DeviceScan::ExclusiveSum(d_temporary, temporary_bytes, d_in, d_out, num_items, stream));
}

}  // namespace lab
