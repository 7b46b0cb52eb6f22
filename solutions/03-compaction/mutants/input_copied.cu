// SPDX-License-Identifier: MIT
// mutant of: 01_map_scan_scatter
// mistake: trivial: a copy of the input, all of it counted
// expect: failed wrong_result
#include "compaction.cuh"
#include "lab/cuda_error.cuh"

namespace lab {

void compact(const int* d_in, int num_items, Predicate, int* d_out, int* d_count, Scratch&,
             cudaStream_t stream) {
  const std::size_t size_bytes = sizeof(int) * num_items;
  check(cudaMemcpyAsync(d_out, d_in, size_bytes, cudaMemcpyDeviceToDevice, stream));
  check(cudaMemcpyAsync(d_count, &num_items, sizeof(int), cudaMemcpyHostToDevice, stream));
}

}  // namespace lab
