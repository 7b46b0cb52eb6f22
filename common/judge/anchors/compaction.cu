// SPDX-License-Identifier: MIT
#include <cub/device/device_select.cuh>

#include "anchors.cuh"
#include "cub_call.cuh"

namespace lab {

void cub_select_if(const int* d_in, int num_items, BitsEqual keep, int* d_out, int* d_count,
                   Scratch& scratch, cudaStream_t stream) {
  call_cub(scratch, [&](void* d_temporary, std::size_t& temporary_bytes) {
    return cub::DeviceSelect::If(d_temporary, temporary_bytes, d_in, d_out, d_count, num_items,
                                 keep, stream);
  });
}

}  // namespace lab
