// SPDX-License-Identifier: MIT
// mutant of: 02_tile_sort
// mistake: trivial: a copy of the input
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "radix_sort.cuh"

namespace lab {

void sort_tiles(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out,
                Scratch& /*scratch*/, cudaStream_t stream) {
  check(cudaMemcpyAsync(d_out, d_in, num_items * sizeof(std::uint32_t), cudaMemcpyDeviceToDevice,
                        stream));
}

}  // namespace lab
