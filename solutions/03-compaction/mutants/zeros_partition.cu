// SPDX-License-Identifier: MIT
// mutant of: 04_partition
// mistake: trivial: zeros, and a count of none
// expect: failed wrong_result
#include "compaction.cuh"
#include "lab/cuda_error.cuh"

namespace lab {

void partition(const int*, int num_items, Predicate, int* d_out, int* d_count, Scratch&,
               cudaStream_t stream) {
  const std::size_t size_bytes = sizeof(int) * num_items;
  check(cudaMemsetAsync(d_out, 0, size_bytes, stream));
  check(cudaMemsetAsync(d_count, 0, sizeof(int), stream));
}

}  // namespace lab
