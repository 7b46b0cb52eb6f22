// SPDX-License-Identifier: MIT
// mutant of: 06_pairs_and_types
// mistake: trivial: copies of the input
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

void copy(const void* d_in, int num_items, void* d_out, cudaStream_t stream) {
  check(cudaMemcpyAsync(d_out, d_in, 4 * static_cast<std::size_t>(num_items),
                        cudaMemcpyDeviceToDevice, stream));
}

}  // namespace

void sort_pairs(const std::uint32_t* d_keys_in, const std::uint32_t* d_values_in, int num_items,
                std::uint32_t* d_keys_out, std::uint32_t* d_values_out, Scratch& /*scratch*/,
                cudaStream_t stream) {
  copy(d_keys_in, num_items, d_keys_out, stream);
  copy(d_values_in, num_items, d_values_out, stream);
}

void sort_signed(const std::int32_t* d_in, int num_items, std::int32_t* d_out, Scratch& /*scratch*/,
                 cudaStream_t stream) {
  copy(d_in, num_items, d_out, stream);
}

void sort_floats(const float* d_in, int num_items, float* d_out, Scratch& /*scratch*/,
                 cudaStream_t stream) {
  copy(d_in, num_items, d_out, stream);
}

}  // namespace lab
