// SPDX-License-Identifier: MIT
// mutant of: 04_checked_launch
// mistake: trivial: every launch is refused
// expect: failed launch_error
#include "lab/cuda_error.cuh"
#include "threads.cuh"

namespace lab {

void checked_fill(int /*first*/, int /*num_items*/, int /*num_blocks*/, int /*threads_per_block*/,
                  int /*shared_bytes*/, int* /*d_out*/, cudaStream_t /*stream*/) {
  throw CudaError(cudaErrorInvalidValue);
}

}  // namespace lab
