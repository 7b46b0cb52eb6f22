// SPDX-License-Identifier: MIT
// mutant of: 03_thread_ids
// mistake: trivial: zeros
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "threads.cuh"

namespace lab {

void thread_ids(dim3 grid, dim3 block, ThreadIds* d_ids, cudaStream_t stream) {
  const std::size_t num_threads =
      std::size_t(grid.x) * grid.y * grid.z * block.x * block.y * block.z;
  check(cudaMemsetAsync(d_ids, 0, num_threads * sizeof(ThreadIds), stream));
}

}  // namespace lab
