// SPDX-License-Identifier: MIT
#include <cub/device/device_select.cuh>

#include "anchors.cuh"
#include "lab/cuda_error.cuh"

namespace lab {

void cub_select_if(const int* d_in, int num_items, BitsEqual keep, int* d_out, int* d_count,
                   Scratch& scratch, cudaStream_t stream) {
  std::size_t temporary_bytes = 0;
  check(cub::DeviceSelect::If(nullptr, temporary_bytes, d_in, d_out, d_count, num_items, keep,
                              stream));
  char* const d_temporary = scratch.allocate<char>(temporary_bytes);
  check(cub::DeviceSelect::If(d_temporary, temporary_bytes, d_in, d_out, d_count, num_items, keep,
                              stream));
}

}  // namespace lab
