// SPDX-License-Identifier: MIT
// mutant of: 01_split
// mistake: trivial: zeros
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "radix_sort.cuh"

namespace lab {

void split(const std::uint32_t* /*d_in*/, int num_items, int /*bit*/, std::uint32_t* d_out,
           int* d_total_falses, Scratch& /*scratch*/, cudaStream_t stream) {
  check(cudaMemsetAsync(d_out, 0, num_items * sizeof(std::uint32_t), stream));
  check(cudaMemsetAsync(d_total_falses, 0, sizeof(int), stream));
}

void radix_sort(const std::uint32_t* /*d_in*/, int num_items, std::uint32_t* d_out,
                Scratch& /*scratch*/, cudaStream_t stream) {
  check(cudaMemsetAsync(d_out, 0, num_items * sizeof(std::uint32_t), stream));
}

}  // namespace lab
